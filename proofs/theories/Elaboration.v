(** §7, Def. 7.2: the equations of an operation, from constraints between closed rows whose axes are numbered (P1 to P6). *)
From Coq Require Import List Arith Lia Bool PArith.
From Lozenge Require Import Lists Dim Row Projections.
Import ListNotations.
Open Scope list_scope.
Open Scope nat_scope.

(** An axis of a tensor: its number and its dimension. *)
Record numbered := Numbered { number : axis; extent : dim }.
Definition size_of (d : dim) : nat := match d with Unit => 1 | Atom n _ => Pos.to_nat n end.

Definition p1 (a b : numbered) : list equation := [Eq (Proj (number a)) (Proj (number b))].
(** P2 where the operand's size is 1: it is severed and pinned at 0; P3 otherwise. *)
Definition p2_p3 (res op : numbered) : list equation :=
  if Nat.eqb (size_of (extent op)) 1 then [Eq (Proj (number op)) (Sol (Fix 0))] else p1 res op.
(** In rows the result's axis is iterated where its operand is severed. *)
Definition p2_p3_in_row (res op : numbered) : list equation :=
  if Nat.eqb (size_of (extent op)) 1 then p2_p3 res op ++ [Iter (Proj (number res))] else p2_p3 res op.

(** A row of numbered axes, and the dimensions of it. *)
Record numbered_row := NRow { nlead : list numbered; ntrail : list numbered }.
Definition plain (R : numbered_row) : row := Row (map extent (nlead R)) (map extent (ntrail R)).

Definition p4 (R R' : numbered_row) : list equation :=
  flat_map (fun p => p1 (fst p) (snd p)) (combine (nlead R ++ ntrail R) (nlead R' ++ ntrail R')).
(** One flank from the outer edge: aligned pairs, then the surplus axes of the result, which are iterated. *)
Fixpoint p5_flank (l l' : list numbered) : list equation :=
  match l, l' with
  | a :: l, b :: l' => p2_p3_in_row a b ++ p5_flank l l'
  | l, _ => map (fun a => Iter (Proj (number a))) l
  end.
Definition p5 (R R' : numbered_row) : list equation :=
  p5_flank (nlead R) (nlead R') ++ p5_flank (rev (ntrail R)) (rev (ntrail R')).
Definition p6 (a : numbered) : list equation := [Iter (Proj (number a))].
(** A slice at a given index, which is validated against the size of the axis. *)
Definition slice (a : numbered) (c : nat) : list equation := if c <? size_of (extent a) then [Eq (Proj (number a)) (Sol (Fix c))] else [].

(** The condition that elaboration has to keep: it equates only axes of one size, and a given index lies in its axis
    (the side condition). *)
Definition kept (sz : axis -> nat) (E : list equation) : Prop :=
  (forall p q, In (Eq (Proj p) (Proj q)) E -> sz p = sz q) /\ (forall p c, pins E p (Fix c) -> c < sz p).

Section Elaboration.
Variable sz : axis -> nat.
(** The sizes of the numbered axes. *)
Definition sized (a : numbered) : Prop := sz (number a) = size_of (extent a).

Lemma kept_nil : kept sz [].
Proof. split; [intros p q [] | intros p c [[]|[]]]. Qed.
Lemma kept_app E E' : kept sz E -> kept sz E' -> kept sz (E ++ E').
Proof.
  intros [A B] [A' B']. split.
  - intros p q I. apply in_app_or in I as [I|I]; auto.
  - intros p c [I|I]; apply in_app_or in I as [I|I]; [apply B|apply B'|apply B|apply B']; unfold pins; auto.
Qed.
Lemma kept_iter a : kept sz [Iter a].
Proof. split; [intros p q [H|[]]; discriminate H | intros p c [[H|[]]|[H|[]]]; discriminate H]. Qed.
Lemma kept_iters (l : list numbered) : kept sz (map (fun a => Iter (Proj (number a))) l).
Proof. induction l as [|a l IH]; cbn [map]; [apply kept_nil|]. apply (kept_app [_]); auto using kept_iter. Qed.

Theorem p1_kept a b : sized a -> sized b -> extent a = extent b -> kept sz (p1 a b).
Proof.
  unfold sized. intros A B E. split.
  - intros p q [[= <- <-]|[]]. congruence.
  - intros p c [[H|[]]|[H|[]]]; discriminate H.
Qed.
Theorem p2_p3_kept a b : sized a -> sized b -> dim_le (extent a) (extent b) -> kept sz (p2_p3 a b).
Proof.
  intros A B L. unfold p2_p3. destruct (Nat.eqb_spec (size_of (extent b)) 1) as [E|E].
  - unfold sized in B. split.
    + intros p q [H|[]]; discriminate H.
    + intros p c [[[= <- <-]|[]]|[H|[]]]; [rewrite B, E; lia | discriminate H].
  - apply p1_kept; auto. destruct L as [L|L]; auto. rewrite L in E. now elim E.
Qed.
Lemma p2_p3_in_row_kept a b : sized a -> sized b -> dim_le (extent a) (extent b) -> kept sz (p2_p3_in_row a b).
Proof.
  intros A B L. unfold p2_p3_in_row. destruct (Nat.eqb _ _); [apply kept_app; [|apply kept_iter]|]; now apply p2_p3_kept.
Qed.
Theorem p4_kept R R' : Forall sized (nlead R ++ ntrail R) -> Forall sized (nlead R' ++ ntrail R') ->
  row_eq (plain R) (plain R') -> kept sz (p4 R R').
Proof.
  unfold row_eq, flat, plain, p4; cbn. rewrite <- !map_app.
  generalize (nlead R ++ ntrail R), (nlead R' ++ ntrail R'). intros l l' F. revert l'.
  induction F as [|a l A F IH]; intros [|b l'] F' E; cbn in *; try discriminate; try apply kept_nil.
  inversion F'; subst. injection E as E1 E2. apply (kept_app [_]); auto. now apply p1_kept.
Qed.
Lemma p5_flank_kept l : forall l', Forall sized l -> Forall sized l' -> outer (map extent l) (map extent l') -> kept sz (p5_flank l l').
Proof.
  induction l as [|a l IH]; intros [|b l'] F F' O; cbn [p5_flank]; try apply kept_nil; try apply kept_iters.
  inversion F; inversion F'; inversion O; subst. apply kept_app; auto. now apply p2_p3_in_row_kept.
Qed.
Theorem p5_kept R R' : Forall sized (nlead R ++ ntrail R) -> Forall sized (nlead R' ++ ntrail R') ->
  row_le (plain R) (plain R') -> kept sz (p5 R R').
Proof.
  rewrite !Forall_app. intros [A B] [A' B'] L. apply row_le_flanks in L as [L1 L2]. cbn in *.
  rewrite <- !map_rev in L2. apply kept_app; apply p5_flank_kept; auto using Forall_rev.
Qed.
Theorem p6_kept a : kept sz (p6 a).
Proof. apply kept_iter. Qed.
Theorem slice_kept a c : sized a -> kept sz (slice a c).
Proof.
  unfold sized, slice. intros A. destruct (Nat.ltb_spec c (size_of (extent a))) as [L|_]; [|apply kept_nil]. split.
  - intros p q [H|[]]; discriminate H.
  - intros p k [[[= <- <-]|[]]|[H|[]]]; [congruence | discriminate H].
Qed.
End Elaboration.
