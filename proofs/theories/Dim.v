(** §1: dimensions and the broadcast order. *)
From Coq Require Import String PArith Bool.

(** A dimension (Def. 1.1): the unit [1∅], or an atom, which is a size of at least 1 with a basis. Size 0 cannot be written, and
    no size is too large. The basis of a bare size is ["default"]. *)
Inductive dim := Unit | Atom (size : positive) (basis : string).

(** The broadcast order [a ⊑ b] (Def. 1.2): the unit is on top, and the atoms are an antichain. *)
Definition dim_le (a b : dim) : Prop := b = Unit \/ a = b.

Definition is_atom (d : dim) : bool := match d with Unit => false | Atom _ _ => true end.

Lemma dim_eq_dec (a b : dim) : {a = b} + {a <> b}.
Proof. decide equality; [apply string_dec | apply Pos.eq_dec]. Defined.

(** * Decisions *)

Definition dim_eqb (a b : dim) : bool :=
  match a, b with
  | Unit, Unit => true
  | Atom n s, Atom m t => Pos.eqb n m && String.eqb s t
  | _, _ => false
  end.

Lemma dim_eqb_spec a b : dim_eqb a b = true <-> a = b.
Proof.
  destruct a, b; simpl; try (split; congruence).
  rewrite andb_true_iff, Pos.eqb_eq, String.eqb_eq. split; [intros [-> ->] | intros [=]]; auto.
Qed.

Definition dim_leb (a b : dim) : bool := match b with Unit => true | Atom _ _ => dim_eqb a b end.

Lemma dim_leb_spec a b : dim_leb a b = true <-> dim_le a b.
Proof.
  unfold dim_leb, dim_le. destruct b as [|n s].
  - split; auto.
  - rewrite dim_eqb_spec. split; [auto | intros [H|H]; [discriminate H | exact H]].
Qed.

(** * The order *)

Theorem dim_le_refl a : dim_le a a.
Proof. now right. Qed.
Theorem dim_le_trans a b c : dim_le a b -> dim_le b c -> dim_le a c.
Proof. unfold dim_le; intros [->| ->] [->| ->]; auto. Qed.
Theorem dim_le_antisym a b : dim_le a b -> dim_le b a -> a = b.
Proof. unfold dim_le; intros [->| ->] [->|]; auto. Qed.
Theorem dim_le_top a : dim_le a Unit.
Proof. now left. Qed.
Lemma dim_le_atom a b : dim_le a b -> b <> Unit -> a = b.
Proof. intros [->| ->]; congruence. Qed.

(** The join in D (Prop. 1.3): two distinct dimensions join at the unit. *)
Definition join (a b : dim) : dim := if dim_eqb a b then a else Unit.

Lemma join_l a b : dim_le a (join a b).
Proof. unfold join. destruct (dim_eqb a b); auto using dim_le_refl, dim_le_top. Qed.
Lemma join_r a b : dim_le b (join a b).
Proof.
  unfold join. destruct (dim_eqb a b) eqn:E; [|apply dim_le_top].
  apply dim_eqb_spec in E as ->. apply dim_le_refl.
Qed.
Lemma join_least a b u : dim_le a u -> dim_le b u -> dim_le (join a b) u.
Proof.
  unfold join. destruct (dim_eqb a b) eqn:E; [auto|].
  assert (a <> b) by (rewrite <- dim_eqb_spec; congruence). unfold dim_le. intuition congruence.
Qed.

(** * The lattice D⊥

    [None] is the adjoined bottom. *)
Definition dim_or_bottom := option dim.

(** Def. 1.2, extended to D⊥. *)
Definition below (a b : dim_or_bottom) : Prop :=
  match a, b with
  | None, _ => True
  | Some _, None => False
  | Some a, Some b => dim_le a b
  end.

(** Meet and join as displayed in Prop. 1.3. *)
Definition meet (a b : dim_or_bottom) : dim_or_bottom :=
  match a, b with
  | Some Unit, d | d, Some Unit => d
  | Some x, Some y => if dim_eqb x y then Some x else None
  | _, _ => None
  end.
Definition joined (a b : dim_or_bottom) : dim_or_bottom :=
  match a, b with
  | None, d | d, None => d
  | Some a, Some b => Some (join a b)
  end.

(** Decides statements about a few elements of D⊥ by cases. *)
Ltac by_cases :=
  repeat match goal with
  | d : dim_or_bottom |- _ => unfold dim_or_bottom in d
  | d : option dim |- _ => destruct d as [[|? ?]|]
  end; unfold below, meet, joined, join, dim_le in *;
  repeat match goal with
  | |- context[dim_eqb ?x ?y] => let E := fresh in destruct (dim_eqb x y) eqn:E;
      [apply dim_eqb_spec in E | assert (x <> y) by (rewrite <- dim_eqb_spec; congruence)]
  end; try (intuition congruence).

(** Prop. 1.3: a partial order … *)
Theorem below_order :
  (forall a, below a a) /\ (forall a b c, below a b -> below b c -> below a c) /\
  (forall a b, below a b -> below b a -> a = b).
Proof. repeat split; intros; by_cases. Qed.

(** … with a top and a bottom … *)
Theorem below_bounded : forall d, below None d /\ below d (Some Unit).
Proof. intros; by_cases. Qed.

(** … in which each atom covers the bottom, is covered by the unit, and is comparable to no other atom … *)
Theorem atoms_between a : is_atom a = true ->
  (forall d, below d (Some a) <-> d = None \/ d = Some a) /\ (forall d, below (Some a) d <-> d = Some a \/ d = Some Unit) /\
  (forall b, is_atom b = true -> below (Some a) (Some b) -> a = b).
Proof.
  intros A. destruct a as [|n s]; [discriminate A|]. repeat split; intros; try (by_cases; fail).
  destruct b; [discriminate|]. by_cases.
Qed.

(** … so that a chain has at most three elements, and there is one with three … *)
Theorem height_two :
  (forall a b c, below a b -> below b c -> a <> b -> b <> c -> a = None /\ c = Some Unit) /\
  exists a, below None (Some a) /\ below (Some a) (Some Unit) /\ None <> Some a /\ a <> Unit.
Proof.
  split.
  - intros; by_cases.
  - exists (Atom 1 "default"). repeat split; try discriminate. now left.
Qed.

(** … and meets and joins are as displayed. *)
Theorem meet_glb (a b c : dim_or_bottom) :
  below (meet a b) a /\ below (meet a b) b /\ (below c a -> below c b -> below c (meet a b)).
Proof. by_cases. Qed.
Theorem joined_lub (a b c : dim_or_bottom) :
  below a (joined a b) /\ below b (joined a b) /\ (below a c -> below b c -> below (joined a b) c).
Proof. by_cases. Qed.

(** Prop. 1.4 repaired: the lattice is modular, and three distinct atoms, which D has, break distributivity. *)
Theorem modular (a b c : dim_or_bottom) : below a c -> joined a (meet b c) = meet (joined a b) c.
Proof. by_cases. all: simpl in *; by_cases. Qed.
Theorem not_distributive (a b c : dim) :
  is_atom a = true -> is_atom b = true -> is_atom c = true -> a <> b -> b <> c -> a <> c ->
  meet (Some a) (joined (Some b) (Some c)) <> joined (meet (Some a) (Some b)) (meet (Some a) (Some c)).
Proof.
  destruct a, b, c; try discriminate. intros _ _ _ ? ? ?. unfold meet, joined, join.
  repeat match goal with
  | |- context[dim_eqb ?x ?y] => let E := fresh in destruct (dim_eqb x y) eqn:E; [apply dim_eqb_spec in E|]
  end; congruence.
Qed.
