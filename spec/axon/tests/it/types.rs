use lozenge_axon_spec::{State, TYPE_RULES, Type, unify};
use lozenge_axon_vocabulary::{Equation, Pool, Word};

#[test]
fn every_rule_of_figure_3_fires_and_generates_what_is_printed() {
    let mut pool = Pool::new();
    let [s, t] = ["s", "t"].map(|name| Word::name(pool.shape_var(name).unwrap()));
    let tensor = |elements: Type, shape: &Word| Type::Tensor(Box::new(elements), shape.clone());
    let (float, variable) = (Type::Elements("f32"), Type::Var(0));
    let (state, rules) = unify(State {
        types: vec![
            (tensor(float.clone(), &s), variable.clone()),
            (tensor(variable.clone(), &s), tensor(float.clone(), &t)),
        ],
        shapes: Vec::new(),
    });
    let state = state.unwrap();
    assert_eq!(rules, ["variable_left", "tensors"]);
    assert_eq!(state.types[0], (variable.clone(), tensor(float, &s)));
    assert_eq!(state.shapes, [Equation::Shapes(s.clone(), t)]);
    let (state, rules) = unify(State {
        types: vec![(variable.clone(), tensor(tensor(variable, &s), &s))],
        shapes: Vec::new(),
    });
    assert_eq!((state, rules.as_slice()), (None, ["occurs"].as_slice()));
    assert_eq!(TYPE_RULES.len(), 3);
}
