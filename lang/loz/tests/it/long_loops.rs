//! The work of long loops that train is in proportion to their iterations, and none of it is repeated for the
//! iterations before.

use lozenge_lang::parse_partly;
use lozenge_vocabulary::program::Surroundings;

/// The number of parts that each iteration is allowed, some more than it takes.
const PARTS_OF_A_TURN: u64 = 60;

#[test]
fn the_gradients_of_a_turn_take_the_same_work_in_every_turn() {
    for asked in ["params(loss)", "params(net)"] {
        for turns in [50, 800] {
            let text = format!(
                "data x : 6|->4 = range(24)\ndef layer(h)(a):\n  param w : ...->h = 1\n  w * a\nlet net = layer(2)\n\
                 for i in 0..{turns}:\n  let loss = mean(square(net(x)))\n  backward loss\n  for q in {asked}: q =- 0.1 *. q.grad\n"
            );
            let mut surroundings = Surroundings::default();
            surroundings.limits.parts = PARTS_OF_A_TURN * turns;
            let (program, errors) = parse_partly(&text, &surroundings);
            assert!(errors.is_empty(), "{turns} turns, {asked}: {errors:?}");
            let steps = program.steps.len() as u64;
            assert!(steps > 10 * turns, "{turns} turns: {steps} operations");
        }
    }
}
