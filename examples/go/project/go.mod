module shop.example/order

go 1.24
