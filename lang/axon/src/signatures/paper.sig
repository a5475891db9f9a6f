# The operators, as the design of the project has them: each printed type of the paper follows from these.
+ : t s, t s -> t s
* : t s, t s -> t s
max : t s, t s -> t s
min : t s, t s -> t s
- : t p@s, t s -> t p@s
/ : t p@s, t s -> t p@s
exp : t s -> t s
log : t s -> t s
sqrt : t s -> t s
tanh : t s -> t s
sigmoid : t s -> t s
relu : t s -> t s
neg : t s -> t s
matmul : t s@[a,b], t s@[b,c] -> t s@[a,c]
transpose : t s@[m,n] -> t s@[n,m]
reverse : t [d]@s -> t [d]@s
concat : t [d1]@s, t [d2]@s -> t [(+ d1 d2)]@s
compress : t [d], u [d]@s -> u [?n]@s
conv : t [n,c,h,w], t [k,c,r,s] -> t [n,k,(+ (- h r) 1),(+ (- w s) 1)]
reduce : (t, t -> t), t, t [d]@s -> t s
map : (t s -> u r), t [d]@s -> u [d]@r
loop : ?S, (?S, t s -> ?S, u r), t [d]@s -> ?S, u [d]@r
lstmStep : t [i], t [k], t [k], t [k,i], t [k,i], t [k,i], t [k,i], t [k,k], t [k,k], t [k,k], t [k,k], t [k], t [k], t [k], t [k] -> t [k], t [k]
