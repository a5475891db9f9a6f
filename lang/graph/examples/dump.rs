//! x
fn main(){ for p in std::env::args().skip(1) { let t=std::time::Instant::now(); let r=lozenge_graph::read_file(p.as_ref(), &Default::default()); let e=t.elapsed();
 match r { Ok(g)=>{ if std::env::var_os("TEXT").is_some(){print!("{g}");} println!("{p}: {} nodes {} bodies {} constants {:?}", g.node_count(), g.bodies.len(), g.constants.len(), e)}, Err(x)=>println!("{p}: ERROR {x} {:?} {e:?}", x.help)} } }
