# frozen_string_literal: true
require 'set'
module M
  class A < B
    attr_reader :x
    K = 3
    def f(a, s = 1)
      n = 0x1f; t = "abc #{a}"
      if a < 3 && !ok? and not z then n += 1; go(a); puts "x" elsif b then return false else n = -n end
      n -= 1 if n >= 2
      raise ArgumentError, "bad" unless a == 0
      while n > 2 do n -= 1; next if n == 4; break end
      until x; y; end
      for i in 0..10 do n ^= i end
      s.each { |x| n += x; next x }
      s.map do |x| x * 2 end
      case a when 1 then 2 else 5 end
      v = a > 0 ? 1 : 2
      @y ||= 3
      begin; y; rescue E => e; z; ensure; w; end
      x&.foo
      logger.info("hi")
      a <=> b; a =~ /x/; a ** 2
      a.foo = 3
      yield a
      super
      if a then b else c end
      return a, b
      nil
      a < b || true
    end
    def self.g; end
    def h = a + 1
    private
    def q() 1 end
  end
end
