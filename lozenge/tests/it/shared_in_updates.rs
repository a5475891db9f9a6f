//! R5: which constraints an update may impose on a parameter, and which it may not.

use lozenge::{Options, read};

/// Returns a layer with a bias, followed by the updates.
fn with_updates(updates: &str) -> String {
    format!(
        "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam w\nparam b\n\
         let e = w * x + b - t\n{updates}"
    )
}

fn refused(updates: &str) -> Vec<String> {
    match read(&with_updates(updates), &Options::default()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.into_iter().filter_map(|error| error.code).collect(),
    }
}

#[test]
fn a_rate_that_would_make_a_bias_as_large_as_the_weights_is_refused() {
    for updates in [
        "param rate = 0.1\nw =- rate *. w\nb =- rate *. b\n",
        "param rate = 0.1\nb =- rate *. b\nw =- rate *. w\n",
        "param rate = 0.1\nw =- (rate + 1) *. w\nb =- 2 *. (rate + 1) *. b\n",
    ] {
        assert_eq!(refused(updates), ["R5"], "{updates}");
    }
}

#[test]
fn updates_that_mean_their_shapes_are_accepted() {
    for updates in [
        "w =- 0.1 *. w\nb =- 0.1 *. b\n",
        "param rate : -> = 0.1\nw =- rate *. w\nb =- rate *. b\n",
        "param rate = 0.1\nw =- rate *. w\n",
        // A running sum has the shape of its summands.
        "param total = 0\ntotal =+ e \"n|->c => ->c\"\n",
        // Momentum has the shape of its parameter.
        "param m = 0\nm =: 0.9 *. m + w\nw =- 0.1 *. m\n",
        "param m = 0\nm =+ w\nw =- 0.1 *. m\nb =- 0.1 *. b\n",
    ] {
        assert_eq!(refused(updates), Vec::<String>::new(), "{updates}");
    }
}
