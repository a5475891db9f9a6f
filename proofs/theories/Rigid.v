(** §2, Defs. 2.12 to 2.15: rows without a marker beside rows with one. *)
From Coq Require Import List Arith Lia PArith String.
From Lozenge Require Import Lists Dim Row.
Import ListNotations.
Open Scope list_scope.
Notation length := List.length.

(** A row of the two-sorted algebra: with a marker, or rigid, which is a sequence of axes without one. *)
Inductive sorted := Marked_row (R : row) | Rigid (F : list dim).

(** The extended order (Def. 2.12, clauses (a) to (d)). *)
Definition sorted_le (X Y : sorted) : Prop :=
  match X, Y with
  | Marked_row R2, Marked_row R1 => row_le R2 R1
  | Rigid F2, Rigid F1 => Forall2 dim_le F2 F1
  | Rigid F, Marked_row R => rank R <= length F /\ Forall2 dim_le F (expansion R (length F))
  | Marked_row _, Rigid _ => False
  end.

(** The row whose marker is removed, [flat(R)•]. *)
Definition rigidified (R : row) : sorted := Rigid (flat R).

(** Rem. 2.15(ii): the one-shot relation is the extended order once the marker of the lower side is removed. *)
Theorem one_shot_rigidified R2 R1 : row_le1 R2 R1 <-> sorted_le (rigidified R2) (Marked_row R1).
Proof. unfold row_le1; simpl. now rewrite length_flat. Qed.

Lemma all_le_trans xs ys : Forall2 dim_le xs ys -> forall zs, Forall2 dim_le ys zs -> Forall2 dim_le xs zs.
Proof. induction 1; intros zs K; inversion K; subst; constructor; eauto using dim_le_trans. Qed.

(** * Prop. 2.13: a partial order, with the same top; flat equality is equality; clause (d) is forced *)

Theorem sorted_le_refl X : sorted_le X X.
Proof. destruct X; simpl; auto using row_le_refl, all_le_refl. Qed.
Theorem sorted_le_trans X Y Z : sorted_le X Y -> sorted_le Y Z -> sorted_le X Z.
Proof.
  destruct X as [R3|F3], Y as [R2|F2], Z as [R1|F1]; simpl; try tauto.
  - apply row_le_trans.
  - intros [N F] H. assert (rank R1 <= rank R2) by (destruct H as (L & T & _); unfold rank; lia).
    split; [lia|]. eapply all_le_trans; eauto. now apply expansion_monotone.
  - intros F [N G]. apply forall2_length in F as L. rewrite L. split; auto. eapply all_le_trans; eauto.
  - intros F G. eapply all_le_trans; eauto.
Qed.
Theorem sorted_le_antisym X Y : sorted_le X Y -> sorted_le Y X -> X = Y.
Proof.
  destruct X, Y; simpl; try tauto; intros A B; f_equal; auto using row_le_antisym, all_le_antisym.
Qed.
Theorem sorted_top X : sorted_le X (Marked_row top).
Proof.
  destruct X; simpl; [apply row_le_top|]. split; [unfold rank; simpl; lia|].
  unfold expansion, rank; simpl. rewrite app_nil_r. apply all_le_units. lia.
Qed.
Theorem sorted_top_unique X : (forall Y, sorted_le Y X) -> X = Marked_row top.
Proof. intros H. apply sorted_le_antisym; auto using sorted_top. Qed.
Theorem rigid_flat R R' : row_eq R R' <-> rigidified R = rigidified R'.
Proof. unfold row_eq, rigidified. split; congruence. Qed.

(** A relation in which a marked row may also be below a rigid one of its rank is not transitive. *)
Theorem clause_d_forced (le : sorted -> sorted -> Prop) :
  (forall R2 R1, row_le R2 R1 -> le (Marked_row R2) (Marked_row R1)) ->
  (forall R F, rank R = length F -> Forall2 dim_le (flat R) F -> le (Marked_row R) (Rigid F)) ->
  (forall R F, le (Marked_row R) (Rigid F) -> rank R = length F) ->
  ~ (forall X Y Z, le X Y -> le Y Z -> le X Z).
Proof.
  intros M D N T. set (d n := Atom n "default"%string).
  assert (H : le (Marked_row (Row [d 5%positive] [d 3%positive])) (Rigid [d 3%positive])).
  { apply (T _ (Marked_row (Row [] [d 3%positive]))).
    - apply M, row_le_flanks; simpl. repeat constructor; apply dim_le_refl.
    - apply D; [reflexivity|]. apply all_le_refl. }
  apply N in H. discriminate H.
Qed.

(** * Rem. 2.14(costs) repaired: which pairs have a least upper bound *)

Definition least_upper (X Y U : sorted) : Prop :=
  sorted_le X U /\ sorted_le Y U /\ forall V, sorted_le X V -> sorted_le Y V -> sorted_le U V.

Lemma joins_same_length xs ys : length xs = length ys ->
  length (joins xs ys) = length xs /\ Forall2 dim_le xs (joins xs ys) /\ Forall2 dim_le ys (joins xs ys) /\
  forall us, Forall2 dim_le xs us -> Forall2 dim_le ys us -> Forall2 dim_le (joins xs ys) us.
Proof.
  revert ys. induction xs as [|x xs IH]; intros [|y ys] H; simpl in *; try discriminate; [repeat split; auto|].
  destruct (IH ys ltac:(lia)) as (L & A & B & C). repeat split; auto using join_l, join_r.
  intros us K M. inversion K; subst. inversion M; subst. constructor; auto using join_least.
Qed.

(** Two marked rows have one, and so have two rigid rows of one rank. *)
Theorem marked_least_upper R R' : exists U, least_upper (Marked_row R) (Marked_row R') U.
Proof.
  exists (Marked_row (row_join R R')). destruct (row_join_lub R R') as (A & B & C).
  split; [|split]; auto. intros [V|V]; simpl; auto.
Qed.
Theorem rigid_least_upper F F' : length F = length F' -> exists U, least_upper (Rigid F) (Rigid F') U.
Proof.
  intros L. exists (Rigid (joins F F')). destruct (joins_same_length F F' L) as (N & A & B & C).
  split; [|split]; simpl; auto. intros [V|V]; simpl; auto. intros [M P] [_ Q]. rewrite N, L in *. split; auto.
Qed.

Lemma pointwise_by_cases xs ys : Forall2 dim_le xs ys <-> forall2b dim_leb xs ys = true.
Proof. symmetry. apply forall2b_spec, dim_leb_spec. Qed.

(** Decides the order between rows that are written out. *)
Ltac by_computation := cbn [sorted_le]; unfold row_le; rewrite ?pointwise_by_cases; cbn; repeat split; auto; lia.

(** Two rigid rows of different ranks need not have one: above [3] and [3, 3] are the rows [3 <>] and [<> 3], of which neither is
    below the other, and nothing lies between. *)
Theorem rigid_no_least_upper : exists F F', length F <> length F' /\ ~ exists U, least_upper (Rigid F) (Rigid F') U.
Proof.
  set (d := Atom 3 "default"%string).
  exists [d], [d; d]. split; [discriminate|]. intros [[U|U] (A & B & C)].
  - assert (L : row_le U (Row [d] [])) by (apply (C (Marked_row (Row [d] []))); by_computation).
    assert (R : row_le U (Row [] [d])) by (apply (C (Marked_row (Row [] [d]))); by_computation).
    destruct L as (L & _), R as (_ & R & _), A as [A _]. unfold rank in A. simpl in *. lia.
  - apply forall2_length in A, B. simpl in *. lia.
Qed.

(** Nor need a rigid row and a marked one: [3] and [3 <> 3] have the same two rows above them. *)
Theorem mixed_no_least_upper : exists F R, ~ exists U, least_upper (Rigid F) (Marked_row R) U.
Proof.
  set (d := Atom 3 "default"%string).
  exists [d], (Row [d] [d]). intros [[U|U] (A & B & C)]; [|exact B].
  assert (L : row_le U (Row [d] [])) by (apply (C (Marked_row (Row [d] []))); by_computation).
  assert (R : row_le U (Row [] [d])) by (apply (C (Marked_row (Row [] [d]))); by_computation).
  destruct L as (L & _), R as (_ & R & _), A as [A _]. unfold rank in A. simpl in *. lia.
Qed.
