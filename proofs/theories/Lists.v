(** Lemmas on lists that the standard library of Coq 8.16 lacks or states less handily: lengths and lookups by integers, and
    lists that are related axis by axis. *)
From Coq Require Import List Arith Lia Bool ZArith.
Import ListNotations.
Open Scope list_scope.

(** * Lists related axis by axis *)

Lemma forall2_length {A B} (P : A -> B -> Prop) xs ys : Forall2 P xs ys -> length xs = length ys.
Proof. induction 1; simpl; congruence. Qed.

Lemma forall2_rev {A B} (P : A -> B -> Prop) xs ys : Forall2 P xs ys -> Forall2 P (rev xs) (rev ys).
Proof. induction 1; simpl; auto using Forall2_app. Qed.

Lemma forall2_eq {A} (xs ys : list A) : Forall2 eq xs ys <-> xs = ys.
Proof. split; [induction 1; congruence | intros ->; induction ys; auto]. Qed.

Lemma forall2_by_nth {A B} (P : A -> B -> Prop) xs : forall ys, length xs = length ys ->
  (forall i x y, nth_error xs i = Some x -> nth_error ys i = Some y -> P x y) -> Forall2 P xs ys.
Proof.
  induction xs as [|x xs IH]; intros [|y ys] L H; simpl in L; try discriminate; constructor.
  - apply (H 0); auto.
  - apply IH; [lia|]. intros i. apply (H (S i)).
Qed.

Lemma forall2_nth {A B} (P : A -> B -> Prop) xs ys i y :
  Forall2 P xs ys -> nth_error ys i = Some y -> exists x, nth_error xs i = Some x /\ P x y.
Proof.
  intros F. revert i. induction F; intros [|i]; cbn; try discriminate; [intros [= <-]; eauto | apply IHF].
Qed.

(** Decides [Forall2]. *)
Fixpoint forall2b {A B} (p : A -> B -> bool) (xs : list A) (ys : list B) : bool :=
  match xs, ys with
  | [], [] => true
  | x :: xs, y :: ys => p x y && forall2b p xs ys
  | _, _ => false
  end.

Lemma forall2b_spec {A B} (p : A -> B -> bool) P xs ys :
  (forall x y, p x y = true <-> P x y) -> (forall2b p xs ys = true <-> Forall2 P xs ys).
Proof.
  intros H. revert ys. induction xs; destruct ys; simpl; try (split; [discriminate | inversion 1]); [split; auto|].
  rewrite andb_true_iff, H, IHxs. split; [intros []; auto | inversion 1; auto].
Qed.

(** * Lists that are put together *)

Lemma app_split {A} (a a' b b' : list A) : length a = length a' -> a ++ b = a' ++ b' -> a = a' /\ b = b'.
Proof.
  revert a'. induction a; intros [|x a']; simpl; try discriminate; auto.
  intros [= H] [= -> K]. destruct (IHa a' H K). now subst.
Qed.

Lemma skipn_skipn_add {A} a b (l : list A) : skipn a (skipn b l) = skipn (b + a) l.
Proof. revert l. induction b; intros [|x l]; simpl; auto. now rewrite skipn_nil. Qed.

Lemma nth_seq n : forall i k, i < n -> nth_error (seq k n) i = Some (k + i).
Proof.
  induction n as [|n IH]; intros [|i] k H; cbn; try lia; [f_equal; lia|]. rewrite IH by lia. f_equal; lia.
Qed.

(** Puts together the values of a list, if each is there. *)
Fixpoint sequence {A} (l : list (option A)) : option (list A) :=
  match l with
  | [] => Some []
  | Some a :: l => match sequence l with Some r => Some (a :: r) | None => None end
  | None :: _ => None
  end.

Lemma sequence_in {A} (l : list (option A)) r a : sequence l = Some r -> In a r -> In (Some a) l.
Proof.
  revert r. induction l as [|[x|] l IH]; cbn; intros r; try discriminate; [intros [= <-] []|].
  destruct (sequence l) as [r'|]; [|discriminate]. intros [= <-] [->|H]; auto. right. eapply IH; eauto.
Qed.

(** * Places as integers

    Places come from linear forms, so they may be negative. A lookup at a negative place gives nothing. *)
Open Scope Z_scope.

Definition zlen {A} (l : list A) : Z := Z.of_nat (length l).
Definition znth {A} (l : list A) (i : Z) : option A := if i <? 0 then None else nth_error l (Z.to_nat i).

Lemma znth_range {A} (l : list A) i x : znth l i = Some x -> 0 <= i < zlen l.
Proof.
  unfold znth, zlen. destruct (Z.ltb_spec i 0) as [|L]; [discriminate|]. intros K.
  assert (N : nth_error l (Z.to_nat i) <> None) by congruence. apply nth_error_Some in N. lia.
Qed.

Lemma znth_inside {A} (l : list A) i : 0 <= i < zlen l -> exists x, znth l i = Some x.
Proof.
  unfold znth, zlen. intros H. destruct (Z.ltb_spec i 0) as [|_]; [lia|].
  destruct (nth_error l (Z.to_nat i)) as [x|] eqn:E; [eauto|]. apply nth_error_None in E. lia.
Qed.

(** The two lemmas that replace most reasoning about lengths. *)
Lemma znth_app1 {A} (l m : list A) i : i < zlen l -> znth (l ++ m) i = znth l i.
Proof. unfold znth, zlen. destruct (Z.ltb_spec i 0); auto. intros. apply nth_error_app1. lia. Qed.
Lemma znth_app2 {A} (l m : list A) i : zlen l <= i -> znth (l ++ m) i = znth m (i - zlen l).
Proof.
  unfold znth, zlen. intros. destruct (Z.ltb_spec i 0), (Z.ltb_spec (i - Z.of_nat (length l)) 0); try lia.
  rewrite nth_error_app2 by lia. f_equal. lia.
Qed.

Lemma zlen_app {A} (l m : list A) : zlen (l ++ m) = zlen l + zlen m.
Proof. unfold zlen. rewrite app_length. lia. Qed.
Lemma zlen_map {A B} (f : A -> B) l : zlen (map f l) = zlen l.
Proof. unfold zlen. now rewrite map_length. Qed.
Lemma zlen_repeat {A} (x : A) n : zlen (repeat x n) = Z.of_nat n.
Proof. unfold zlen. now rewrite repeat_length. Qed.
Lemma znth_nat {A} (l : list A) i : znth l (Z.of_nat i) = nth_error l i.
Proof. unfold znth. destruct (Z.ltb_spec (Z.of_nat i) 0); [lia|]. now rewrite Nat2Z.id. Qed.
Lemma znth_map {A B} (f : A -> B) l i x : znth l i = Some x -> znth (map f l) i = Some (f x).
Proof. unfold znth. destruct (i <? 0); [discriminate|]. apply map_nth_error. Qed.
Lemma znth_repeat {A} (x y : A) n i : znth (repeat x n) i = Some y -> y = x.
Proof. unfold znth. destruct (i <? 0); [discriminate|]. intros H%nth_error_In. now apply repeat_spec in H. Qed.
Lemma znth_forall2 {A B} (P : A -> B -> Prop) xs ys i y :
  Forall2 P xs ys -> znth ys i = Some y -> exists x, znth xs i = Some x /\ P x y.
Proof. unfold znth. destruct (i <? 0); [discriminate|]. intros. eapply forall2_nth; eauto. Qed.
