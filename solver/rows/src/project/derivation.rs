//! Derivation of shared loops: the equations that tie axes together, each with the requirement that it comes from.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::projection_language::AxisId;
use lozenge_vocabulary::projections::Index;
use serde::Serialize;

use super::Projector;
use super::classes::{Classes, Node};

/// The subject of an equation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// An axis of a tensor.
    Axis(AxisId),
    /// A label of the spec.
    Label(String),
    /// A size that is written in the spec.
    Size(u64),
}

/// Two places with one index, and the requirement that says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The rule of Def. 7.2.
    pub rule: Rule,
    /// The requirement, by its place in the operation's list.
    pub requirement: usize,
    /// The two places.
    pub places: [Place; 2],
}

/// The derivation of the index that the axes of one class share: no link can be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IndexDerivation {
    /// The axes of tensors in the class, slot by slot.
    pub axes: Vec<AxisId>,
    /// The links that tie them together, in the order of the requirements.
    pub links: Vec<Link>,
    /// The index at which the class is read when it is pinned, with the rule and the requirement that pin it.
    pub pin: Option<(Index, Rule, usize)>,
}

impl Projector {
    /// Derives why the axes that a factor of the last operation drives share a loop; `None` for a number that is no
    /// factor's.
    pub fn explain_factor(&mut self, factor: usize) -> Option<IndexDerivation> {
        let node = *self.factors.get(factor)?;
        Some(self.explain_class(node))
    }

    /// Derives why an axis of the last operation has its index; `None` when there is no such axis.
    pub fn explain_axis(&mut self, axis: AxisId) -> Option<IndexDerivation> {
        let slot = self.lines.slots.get(axis.slot)?;
        if axis.axis >= slot.len() {
            return None;
        }
        let before = self.lines.slots[..axis.slot].iter().map(Vec::len);
        let node = before.sum::<usize>() + axis.axis;
        Some(self.explain_class(node as Node))
    }

    fn explain_class(&mut self, node: Node) -> IndexDerivation {
        let root = self.classes.root(node);
        let nodes = 0..self.lines.axis_count();
        let axes = nodes.filter(|node| self.classes.root(*node) == root);
        let axes = axes.collect::<Vec<_>>().into_iter();
        let axes = axes.filter_map(|node| self.lines.axis_of(node)).collect();
        // Equations that tie what is tied already are left out, and so are labels that tie nothing to an axis.
        let mut tree = Classes::default();
        (0..self.classes.node_count()).for_each(|_| {
            tree.node(0);
        });
        let all = std::mem::take(&mut self.classes.links);
        let mut kept = Vec::new();
        for (left, right, reason) in &all {
            if self.classes.root(*left) == root && tree.root(*left) != tree.root(*right) {
                // Sizes are unknown and nothing is pinned: this cannot fail.
                let _ = tree.unite(*left, *right, *reason);
                kept.push((*left, *right, *reason));
            }
        }
        self.classes.links = all;
        let links = self.without_loose_ends(kept);
        let links = links.into_iter().map(|(left, right, reason)| Link {
            rule: reason.rule,
            requirement: reason.requirement as usize,
            places: [self.place(left), self.place(right)],
        });
        let links = links.collect();
        IndexDerivation {
            axes,
            links,
            pin: self.pin_behind(root),
        }
    }

    /// Returns the links without those that end in a label or a size that no other link mentions.
    fn without_loose_ends(
        &self,
        mut links: Vec<(Node, Node, super::classes::Reason)>,
    ) -> Vec<(Node, Node, super::classes::Reason)> {
        let axes = self.lines.axis_count();
        let mut degree = vec![0u32; self.classes.node_count() as usize];
        for (left, right, _) in &links {
            degree[*left as usize] += 1;
            degree[*right as usize] += 1;
        }
        loop {
            let before = links.len();
            links.retain(|(left, right, _)| {
                let loose = [left, right]
                    .iter()
                    .any(|end| **end >= axes && degree[**end as usize] == 1);
                if loose {
                    degree[*left as usize] -= 1;
                    degree[*right as usize] -= 1;
                }
                !loose
            });
            if links.len() == before {
                return links;
            }
        }
    }

    fn place(&mut self, node: Node) -> Place {
        if let Some(axis) = self.lines.axis_of(node) {
            return Place::Axis(axis);
        }
        match self.lines.label_of(node) {
            Some(label) => Place::Label(label.name().split('\'').next().unwrap_or_default().into()),
            None => Place::Size(self.classes.size(node).unwrap_or_default()),
        }
    }

    fn pin_behind(&mut self, root: Node) -> Option<(Index, Rule, usize)> {
        let pinnings = std::mem::take(&mut self.classes.pinnings);
        let found = pinnings
            .iter()
            .find(|(node, ..)| self.classes.root(*node) == root);
        let found = found.map(|(_, number, reason)| {
            let index = self.classes.pin_at(*number).clone();
            (index, reason.rule, reason.requirement as usize)
        });
        self.classes.pinnings = pinnings;
        found
    }
}
