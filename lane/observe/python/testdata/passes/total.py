def total(prices):
    result = 0
    for price in prices:
        if price > 0:
            result += price
    return result
