(** What complete mode's procedure relies on about lengths (docs/decidability.md): Decision.3 and 8 to 11. *)
From Coq Require Import List String ZArith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction certificate.Form certificate.Statement certificate.Walk.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.
Notation length := List.length.

(** * Decision.3: ranks along constraints *)

Definition var_rank (g : val) (R : rterm) : Z := Z.of_nat (rank (mid g (rvar R))).
Definition written (R : rterm) : Z := zlen (rlead R) + zlen (rtrail R).

Lemma rank_written g R : Z.of_nat (rank (rval g R)) = written R + var_rank g R.
Proof. unfold written, var_rank, rank, rval, zlen; cbn. rewrite !app_length, !map_length. lia. Qed.

(** Along [<=] the rank of the operand's variable is at most that of the result's plus a constant, along [~] they differ by it. *)
Theorem rank_below o g R R' : sat o g (RLe R R') -> var_rank g R' <= var_rank g R + (written R - written R').
Proof.
  intros H. assert (N : (rank (rval g R') <= rank (rval g R))%nat).
  { destruct o; [destruct H as (A & B & _); unfold rank; lia | apply H]. }
  assert (A := rank_written g R). assert (B := rank_written g R'). lia.
Qed.
Theorem rank_equal o g R R' : sat o g (REq R R') -> var_rank g R' = var_rank g R + (written R - written R').
Proof.
  intros H. assert (N : rank (rval g R) = rank (rval g R')) by (apply row_eq_rank; exact H).
  assert (A := rank_written g R). assert (B := rank_written g R'). lia.
Qed.

(** A path of steps from a row variable to the next, each of which raises the rank by at most a constant. *)
Inductive path (rank_of : string -> Z) : string -> Z -> string -> Prop :=
| path_nil x : path rank_of x 0 x
| path_cons x c y d z : rank_of y <= rank_of x + c -> path rank_of y d z -> path rank_of x (c + d) z.

Lemma path_bound rank_of x c y : path rank_of x c y -> rank_of y <= rank_of x + c.
Proof. induction 1; lia. Qed.

(** Where paths lead from a row to another one and back, their ranks differ by at most constants. *)
Theorem cycle_bound rank_of x c y d : path rank_of x c y -> path rank_of y d x -> - d <= rank_of y - rank_of x <= c.
Proof. intros A%path_bound B%path_bound. lia. Qed.

(** * Decision.8: pins *)

Lemma outer_shift c l : outer (c :: l) l -> forall i d, nth_error l i = Some d -> d = Unit \/ d = c.
Proof.
  revert c. induction l as [|x l IH]; intros c H [|i] d E; cbn in E; try discriminate; inversion H as [|? ? ? ? L K]; subst.
  - injection E as <-. destruct L; auto.
  - destruct (IH x K i d E) as [->| ->]; auto. destruct L as [->| ->]; auto.
Qed.

Definition pin_left (c : dterm) (x : string) : constr := RLe (RTerm [c] (Some x) []) (bare x).
Definition pin_right (c : dterm) (x : string) : constr := RLe (RTerm [] (Some x) [c]) (bare x).

Lemma pin_left_outer g c x : sat Marked g (pin_left c x) <-> outer (dval g c :: lead (vrow g x)) (lead (vrow g x)).
Proof.
  cbn. rewrite row_le_flanks. unfold rval; cbn. rewrite app_nil_r. split; [tauto|]. auto using outer_refl.
Qed.
Lemma pin_right_outer g c x : sat Marked g (pin_right c x) <-> outer (dval g c :: rev (trail (vrow g x))) (rev (trail (vrow g x))).
Proof.
  cbn. rewrite row_le_flanks. unfold rval; cbn. rewrite app_nil_r, rev_app_distr. cbn. split; [tauto|]. auto using outer_refl.
Qed.

(** (left): the pin holds if X<x> = 0, and if the first axis of the row is an atom other than c, only then. *)
Theorem pin_left_zero g c x : lead (vrow g x) = [] -> sat Marked g (pin_left c x).
Proof. intros E. apply pin_left_outer. rewrite E. constructor. Qed.
Theorem pin_left_only g c x d : sat Marked g (pin_left c x) -> nth_error (flat (vrow g x)) 0 = Some d ->
  is_atom d = true -> d <> dval g c -> lead (vrow g x) = [].
Proof.
  intros H%pin_left_outer E A N. destruct (vrow g x) as [[|y l] r]; cbn in *; auto. exfalso.
  injection E as ->. inversion H as [|? ? ? ? L _]; subst. destruct L as [->|L]; [discriminate | congruence].
Qed.

(** (right): the mirror image, at the last axis. *)
Theorem pin_right_zero g c x : trail (vrow g x) = [] -> sat Marked g (pin_right c x).
Proof. intros E. apply pin_right_outer. rewrite E. constructor. Qed.
Theorem pin_right_only g c x d : sat Marked g (pin_right c x) -> nth_error (rev (flat (vrow g x))) 0 = Some d ->
  is_atom d = true -> d <> dval g c -> trail (vrow g x) = [].
Proof.
  intros H%pin_right_outer E A N. unfold flat in E. rewrite rev_app_distr in E. destruct (vrow g x) as [l r]; cbn in *.
  destruct (rev r) as [|y s] eqn:Q; [apply (f_equal (@rev dim)) in Q; now rewrite rev_involutive in Q|]. exfalso.
  injection E as ->. inversion H as [|? ? ? ? L _]; subst. destruct L as [->|L]; [discriminate | congruence].
Qed.

(** (place): each axis in front of the marker is c or the unit, so X<x> is at most the place of the first axis that is neither. *)
Theorem pin_place g c x : sat Marked g (pin_left c x) ->
  (forall i d, nth_error (lead (vrow g x)) i = Some d -> d = Unit \/ d = dval g c) /\
  (forall i d, nth_error (flat (vrow g x)) i = Some d -> d <> Unit -> d <> dval g c -> (length (lead (vrow g x)) <= i)%nat).
Proof.
  intros H%pin_left_outer. assert (A := outer_shift _ _ H). split; [exact A|]. intros i d E U N.
  destruct (Nat.le_gt_cases (length (lead (vrow g x))) i) as [|L]; auto. exfalso. unfold flat in E.
  rewrite nth_error_app1 in E by exact L. destruct (A i d E); contradiction.
Qed.

(** * Decision.9(doubling) *)

Theorem doubling R A B : row_le R A -> row_le R B -> row_eq A B -> trail A = [] -> lead B = [] -> (2 * rank A <= rank R)%nat.
Proof.
  intros (L & _) (_ & T & _) E%row_eq_rank Y X. unfold rank in *. rewrite Y, X in *. cbn in *. lia.
Qed.
