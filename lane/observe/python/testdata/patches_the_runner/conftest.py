import answer
