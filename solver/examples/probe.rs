fn main() {
    let f = lozenge::bench::FAMILIES
        .iter()
        .find(|f| f.name == std::env::args().nth(1).unwrap())
        .unwrap();
    let p = (f.build)(std::env::args().nth(2).unwrap().parse().unwrap());
    println!("{}", p.to_set());
    let mut s = lozenge::Solver::new(p);
    if let Err(r) = s.close() {
        println!("{r}")
    }
}
