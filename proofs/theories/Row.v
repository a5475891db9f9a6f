(** §2, to Rem. 2.11, and Rem. 2.15: ground rows, expansion, the marked order, joins, flat content, the one-shot relation. *)
From Coq Require Import List Arith Lia PArith String.
From Lozenge Require Import Lists Dim.
Import ListNotations.
Open Scope list_scope.
Notation length := List.length.

(** A ground row [l · ⋄ · r] (Def. 2.1). *)
Record row := Row { lead : list dim; trail : list dim }.

Definition rank (R : row) : nat := length (lead R) + length (trail R).

(** The flat content [l · r] (Def. 2.9). *)
Definition flat (R : row) : list dim := lead R ++ trail R.

(** The expansion [R↑n] (Def. 2.2). It means something only for [n] from the rank on, so each statement has that premise. *)
Definition expansion (R : row) (n : nat) : list dim := lead R ++ repeat Unit (n - rank R) ++ trail R.

(** The marked order [R2 ⊑ R1] (Def. 2.3), word by word. *)
Definition row_le (R2 R1 : row) : Prop :=
  length (lead R1) <= length (lead R2) /\ length (trail R1) <= length (trail R2) /\
  Forall2 dim_le (flat R2) (expansion R1 (rank R2)).

(** Flat equivalence [R ≈ R'] (Def. 2.9). *)
Definition row_eq (R R' : row) : Prop := flat R = flat R'.

(** The one-shot relation [R2 ⊑¹ R1] (Rem. 2.15(ii)). *)
Definition row_le1 (R2 R1 : row) : Prop := rank R1 <= rank R2 /\ Forall2 dim_le (flat R2) (expansion R1 (rank R2)).

Lemma length_flat R : length (flat R) = rank R.
Proof. apply app_length. Qed.
Lemma length_expansion R n : rank R <= n -> length (expansion R n) = n.
Proof. unfold expansion, rank. rewrite !app_length, repeat_length. lia. Qed.
Lemma expansion_own R : expansion R (rank R) = flat R.
Proof. unfold expansion. now rewrite Nat.sub_diag. Qed.
Lemma all_le_refl xs : Forall2 dim_le xs xs.
Proof. induction xs; constructor; auto using dim_le_refl. Qed.
Lemma all_le_antisym xs ys : Forall2 dim_le xs ys -> Forall2 dim_le ys xs -> xs = ys.
Proof. induction 1; intros K; inversion K; subst; f_equal; auto using dim_le_antisym. Qed.
Lemma all_le_units xs n : length xs = n -> Forall2 dim_le xs (repeat Unit n).
Proof. intros <-. induction xs; simpl; constructor; auto using dim_le_top. Qed.

(** * The order, flank by flank

    One flank fits another if it is at least as long and refines it from the outer edge on. The trailing flank is reversed. All of
    §2 follows from the next theorem by induction, without indices. *)
Inductive outer : list dim -> list dim -> Prop :=
| outer_nil xs : outer xs []
| outer_cons x y xs ys : dim_le x y -> outer xs ys -> outer (x :: xs) (y :: ys).

Lemma outer_iff xs ys : outer xs ys <-> exists a b, xs = a ++ b /\ Forall2 dim_le a ys.
Proof.
  split.
  - induction 1 as [|x y xs ys H _ (a & b & -> & F)].
    + now exists [], xs.
    + exists (x :: a), b. auto.
  - intros (a & b & -> & F). induction F; simpl; constructor; auto.
Qed.

Theorem row_le_flanks R2 R1 :
  row_le R2 R1 <-> outer (lead R2) (lead R1) /\ outer (rev (trail R2)) (rev (trail R1)).
Proof.
  destruct R2 as [l2 r2], R1 as [l1 r1]. unfold row_le, expansion, flat, rank; simpl. rewrite !outer_iff. split.
  - intros (L & R & F). apply Forall2_app_inv_r in F as (a & bc & Fa & F & E).
    apply Forall2_app_inv_r in F as (b & c & Fb & Fc & ->).
    apply forall2_length in Fa as La; apply forall2_length in Fb as Lb; apply forall2_length in Fc as Lc.
    rewrite repeat_length in Lb.
    assert (T : length (l2 ++ r2) = length (a ++ b ++ c)) by now rewrite E.
    rewrite !app_length in T. split.
    + exists a, (firstn (length l2 - length l1) b). split; auto.
      transitivity (firstn (length l2) (l2 ++ r2)).
      { now rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r. }
      rewrite E, firstn_app, La, firstn_all2 by lia. f_equal.
      rewrite firstn_app. replace (_ - length b) with 0 by lia. now rewrite app_nil_r.
    + exists (rev c), (rev (skipn (length l2 - length l1) b)). split; [|now apply forall2_rev].
      rewrite <- rev_app_distr. f_equal.
      transitivity (skipn (length l2) (l2 ++ r2)); [now rewrite skipn_app, Nat.sub_diag, skipn_all|].
      rewrite E, skipn_app, La, skipn_all2 by lia. simpl.
      rewrite skipn_app. now replace (_ - length b) with 0 by lia.
  - intros ((a & b & -> & F) & (c & d & E & G)).
    assert (r2 = rev d ++ rev c) as -> by now rewrite <- rev_app_distr, <- E, rev_involutive.
    apply forall2_rev in G. rewrite rev_involutive in G.
    apply forall2_length in F as LF; apply forall2_length in G as LG.
    rewrite !app_length. repeat split; try lia.
    rewrite <- app_assoc. apply Forall2_app; auto.
    rewrite app_assoc. apply Forall2_app; auto.
    apply all_le_units. rewrite app_length. lia.
Qed.

Lemma outer_refl xs : outer xs xs.
Proof. induction xs; constructor; auto using dim_le_refl. Qed.
Lemma outer_trans xs ys zs : outer xs ys -> outer ys zs -> outer xs zs.
Proof. intros H. revert zs. induction H; intros zs K; inversion K; subst; constructor; eauto using dim_le_trans. Qed.
Lemma outer_antisym xs ys : outer xs ys -> outer ys xs -> xs = ys.
Proof. induction 1; intros K; inversion K; subst; auto. f_equal; auto using dim_le_antisym. Qed.
Lemma outer_length xs ys : outer xs ys -> length ys <= length xs.
Proof. induction 1; simpl; lia. Qed.
Lemma outer_app xs ys zs : length ys <= length xs ->
  (outer xs (ys ++ zs) <-> outer xs ys /\ outer (skipn (length ys) xs) zs).
Proof.
  revert xs. induction ys as [|y ys IH]; intros xs H; simpl.
  - split; [split; auto; constructor | tauto].
  - destruct xs as [|x xs]; simpl in *; [lia|]. specialize (IH xs ltac:(lia)). split.
    + inversion 1; subst. split; [constructor|]; tauto.
    + intros [K ?]; inversion K; subst. constructor; tauto.
Qed.
Lemma outer_weaken xs zs ys : length ys <= length xs -> (outer (xs ++ zs) ys <-> outer xs ys).
Proof.
  revert ys. induction xs; intros [|y ys] H; simpl in *; try lia; try solve [split; intros; constructor].
  split; inversion 1; subst; constructor; auto; apply IHxs; auto; lia.
Qed.
Lemma outer_more xs zs ys : outer xs ys -> outer (xs ++ zs) ys.
Proof. intros H. apply outer_weaken; auto using outer_length. Qed.

(** * Prop. 2.5: a partial order *)

Theorem row_le_refl R : row_le R R.
Proof. apply row_le_flanks; auto using outer_refl. Qed.
Theorem row_le_trans R3 R2 R1 : row_le R3 R2 -> row_le R2 R1 -> row_le R3 R1.
Proof. rewrite !row_le_flanks. intuition eauto using outer_trans. Qed.
Theorem row_le_antisym R R' : row_le R R' -> row_le R' R -> R = R'.
Proof.
  rewrite !row_le_flanks. intros [A B] [C D]. destruct R as [l r], R' as [l' r']; simpl in *.
  f_equal; [|rewrite <- (rev_involutive r), <- (rev_involutive r'); f_equal]; auto using outer_antisym.
Qed.

(** Prop. 2.10(i): mutual inequality is the identity. *)
Theorem row_le_mutual R R' : row_le R R' /\ row_le R' R <-> R = R'.
Proof. split; [intros []; auto using row_le_antisym | intros ->; auto using row_le_refl]. Qed.

(** * Prop. 2.6: the top *)

Definition top := Row [] [].
Theorem row_le_top R : row_le R top.
Proof. apply row_le_flanks; split; constructor. Qed.
Theorem top_unique R : (forall S, row_le S R) -> R = top.
Proof. intros H. apply row_le_antisym; auto using row_le_top. Qed.

(** * Lemma 2.4: expansions refine each other at each rank *)

Theorem expansion_monotone R2 R1 n :
  row_le R2 R1 -> rank R2 <= n -> Forall2 dim_le (expansion R2 n) (expansion R1 n).
Proof.
  intros H N.
  assert (E : row_le (Row (lead R2 ++ repeat Unit (n - rank R2)) (trail R2)) R1).
  { rewrite row_le_flanks in *. simpl. destruct H as [A B]. auto using outer_more. }
  destruct E as (_ & _ & E). unfold flat in E; simpl in E.
  unfold rank in E at 2; simpl in E. rewrite app_length, repeat_length in E.
  unfold expansion at 1. rewrite app_assoc.
  replace n with (length (lead R2) + (n - rank R2) + length (trail R2)) at 2; auto. unfold rank in *; lia.
Qed.

(** * Prop. 2.7: joins *)

(** The shorter list, joined axis by axis. *)
Fixpoint joins (xs ys : list dim) : list dim :=
  match xs, ys with
  | x :: xs, y :: ys => join x y :: joins xs ys
  | _, _ => []
  end.

(** The shorter flanks, joined from the outer edges. *)
Definition row_join (R R' : row) : row :=
  Row (joins (lead R) (lead R')) (rev (joins (rev (trail R)) (rev (trail R')))).

Lemma joins_upper xs ys : outer xs (joins xs ys) /\ outer ys (joins xs ys).
Proof. revert ys. induction xs; destruct ys; simpl; split; constructor; auto using join_l, join_r; apply IHxs. Qed.
Lemma joins_least xs ys us : outer xs us -> outer ys us -> outer (joins xs ys) us.
Proof. intros H. revert ys. induction H; intros ys' K; inversion K; subst; constructor; auto using join_least. Qed.
Theorem row_join_lub R R' :
  row_le R (row_join R R') /\ row_le R' (row_join R R') /\
  forall U, row_le R U -> row_le R' U -> row_le (row_join R R') U.
Proof.
  rewrite !row_le_flanks. simpl. rewrite rev_involutive. split; [|split].
  - split; apply joins_upper.
  - split; apply joins_upper.
  - intros U. rewrite !row_le_flanks. simpl. rewrite rev_involutive. intuition auto using joins_least.
Qed.

(** * Rem. 2.8: rows of different ranks are related directly *)

(** Below a row are rows of exactly the ranks from its own on. *)
Theorem ranks_below R n : (exists S, row_le S R /\ rank S = n) <-> rank R <= n.
Proof.
  split.
  - intros (S & (L & T & _) & <-). unfold rank. lia.
  - intros H. exists (Row (lead R ++ repeat Unit (n - rank R)) (trail R)). split.
    + apply row_le_flanks; simpl. auto using outer_more, outer_refl.
    + unfold rank in *; simpl. rewrite app_length, repeat_length. lia.
Qed.

(** Above a row are rows of exactly the ranks up to its own. *)
Theorem ranks_above R n : (exists S, row_le R S /\ rank S = n) <-> n <= rank R.
Proof.
  split.
  - intros (S & (L & T & _) & <-). unfold rank. lia.
  - intros H. set (k := Nat.min n (length (lead R))).
    exists (Row (firstn k (lead R)) (skipn (length (trail R) - (n - k)) (trail R))). split.
    + apply row_le_flanks; simpl. rewrite !outer_iff. split.
      * exists (firstn k (lead R)), (skipn k (lead R)). split; [now rewrite firstn_skipn | apply all_le_refl].
      * exists (rev (skipn (length (trail R) - (n - k)) (trail R))), (rev (firstn (length (trail R) - (n - k)) (trail R))).
        split; [now rewrite <- rev_app_distr, firstn_skipn | apply all_le_refl].
    + unfold rank in *; simpl. rewrite firstn_length, skipn_length. lia.
Qed.

(** * Def. 2.9 and Prop. 2.10: flat equivalence *)

Lemma row_eq_rank R R' : row_eq R R' -> rank R = rank R'.
Proof. intros E. rewrite <- !length_flat. now rewrite E. Qed.

(** Def. 2.9, second formulation: equal ranks, and equal expansions at that rank. *)
Theorem row_eq_expansion R R' : row_eq R R' <-> rank R = rank R' /\ expansion R (rank R) = expansion R' (rank R').
Proof. rewrite !expansion_own. split; [intros E; split; auto using row_eq_rank | intros []; auto]. Qed.
Theorem row_eq_equivalence :
  (forall R, row_eq R R) /\ (forall R S, row_eq R S -> row_eq S R) /\
  (forall R S T, row_eq R S -> row_eq S T -> row_eq R T).
Proof. unfold row_eq. repeat split; congruence. Qed.

Lemma row_eq_same_lead R R' : row_eq R R' -> length (lead R) = length (lead R') -> R = R'.
Proof.
  destruct R as [l r], R' as [l' r']. unfold row_eq, flat; simpl. intros E L.
  destruct (app_split _ _ _ _ L E). now subst.
Qed.

(** Prop. 2.10(ii): distinct equivalent rows are not comparable. *)
Theorem row_eq_incomparable R R' : row_eq R R' -> R <> R' -> ~ row_le R R' /\ ~ row_le R' R.
Proof.
  assert (H : forall R R', row_eq R R' -> row_le R R' -> R = R').
  { intros S S' E (L & T & _). apply row_eq_same_lead; auto. apply row_eq_rank in E. unfold rank in E. lia. }
  intros E N. split; intros K; apply N; [|symmetry]; apply H; auto. now symmetry.
Qed.

(** Prop. 2.10(iii): of no two distinct rows are the same rows below; so an equivalence that is compatible with the order relates
    no distinct rows. The printed example shows it of [≈]. *)
Theorem no_congruence (same : row -> row -> Prop) :
  (forall R R' S, same R R' -> (row_le S R <-> row_le S R')) -> forall R R', same R R' -> R = R'.
Proof. intros H R R' E. apply row_le_antisym; [apply (H R R' R E) | apply (H R R' R' E)]; apply row_le_refl. Qed.
Theorem row_eq_no_congruence :
  let d n := Atom n "default"%string in
  row_le (Row [d 3%positive] [d 2%positive; d 4%positive]) (Row [d 3%positive] [d 4%positive]) /\
  row_eq (Row [d 3%positive] [d 4%positive]) (Row [d 3%positive; d 4%positive] []) /\
  ~ row_le (Row [d 3%positive] [d 2%positive; d 4%positive]) (Row [d 3%positive; d 4%positive] []).
Proof.
  intros d. split; [|split; [reflexivity|]].
  - apply row_le_flanks; simpl. repeat constructor; apply dim_le_refl.
  - intros (L & _). simpl in L. lia.
Qed.

(** Prop. 2.10(iv) repaired: distinct equivalent rows differ in the fit of their flanks … *)
Theorem row_eq_flanks_differ R R' : row_eq R R' -> R <> R' -> length (lead R) <> length (lead R').
Proof. intros E N L. apply N. auto using row_eq_same_lead. Qed.

(** … and at strictly higher ranks their expansions differ, unless only units lie between the two markers, in which case they agree
    at each rank. The row whose marker is further to the left is taken first. *)
Lemma repeat_cons_middle (u : list dim) n : repeat Unit n ++ Unit :: u = Unit :: repeat Unit n ++ u.
Proof. induction n; simpl; congruence. Qed.
Lemma repeat_shift (u : list dim) n : 0 < n -> repeat Unit n ++ u = u ++ repeat Unit n <-> Forall (eq Unit) u.
Proof.
  intros P. destruct n as [|n]; [lia|]. clear P. split.
  - induction u as [|x u IH]; [constructor|]. intros H. simpl in H. injection H as <- H.
    constructor; auto. apply IH. rewrite repeat_cons_middle in H. exact H.
  - induction 1 as [|x u <- _ IH]; [now rewrite app_nil_r|].
    rewrite repeat_cons_middle, IH. reflexivity.
Qed.
Theorem row_eq_higher l u r n : length (l ++ u ++ r) < n ->
  (expansion (Row l (u ++ r)) n = expansion (Row (l ++ u) r) n <-> Forall (eq Unit) u).
Proof.
  intros N. unfold expansion, rank; simpl. rewrite !app_length in *.
  replace (n - (length l + length u + length r)) with (n - (length l + (length u + length r))) by lia.
  set (k := n - _). assert (P : 0 < k) by (subst k; lia). rewrite <- (repeat_shift u k P), <- !app_assoc. split.
  - intros H. apply app_inv_head in H. rewrite !app_assoc in H. now apply app_inv_tail in H.
  - intros H. f_equal. now rewrite !app_assoc, H.
Qed.
Theorem row_eq_middle R R' : row_eq R R' -> length (lead R) <= length (lead R') ->
  exists l u r, R = Row l (u ++ r) /\ R' = Row (l ++ u) r.
Proof.
  destruct R as [l r], R' as [l' r']. unfold row_eq, flat; simpl. intros E L.
  exists l, (skipn (length l) l'), r'. rewrite <- (firstn_skipn (length l) l') in E at 1.
  rewrite <- app_assoc in E. apply app_split in E as [-> ->]; [|rewrite firstn_length; lia].
  split; auto. rewrite firstn_length, Nat.min_l by lia. now rewrite firstn_skipn.
Qed.

(** * Rem. 2.15: the one-shot relation *)

(** (ii) repaired: it is weaker than the order, reflexive, its mutual form is [≈], and it is not transitive. That it is the order
    after the marker of its left side is removed is in [Rigid]. *)
Theorem row_le_one_shot R2 R1 : row_le R2 R1 -> row_le1 R2 R1.
Proof. intros (L & T & F). split; auto. unfold rank; lia. Qed.
Theorem row_le1_refl R : row_le1 R R.
Proof. split; auto. rewrite expansion_own. apply all_le_refl. Qed.
Theorem row_le1_mutual R R' : row_le1 R R' /\ row_le1 R' R <-> row_eq R R'.
Proof.
  unfold row_le1. split.
  - intros [[A B] [C D]]. assert (E : rank R = rank R') by lia.
    rewrite E, expansion_own in B. rewrite <- E, expansion_own in D. unfold row_eq. auto using all_le_antisym.
  - intros E. assert (K := row_eq_rank _ _ E). unfold row_eq in E.
    rewrite <- K, expansion_own. rewrite K at 3. rewrite expansion_own, E. repeat split; auto using all_le_refl.
Qed.
Theorem row_le1_not_transitive :
  let a := Atom 1 "default"%string in
  row_le1 (Row [] [Unit; a]) (Row [] [a]) /\ row_le1 (Row [] [a]) (Row [a] []) /\
  ~ row_le1 (Row [] [Unit; a]) (Row [a] []).
Proof.
  assert (D := dim_le_refl). assert (T := dim_le_top). unfold row_le1, rank, expansion, flat; simpl.
  split; [|split].
  - split; [lia|]. auto 6 using Forall2_cons, Forall2_nil.
  - split; [lia|]. auto 6 using Forall2_cons, Forall2_nil.
  - intros [_ F]. inversion F as [|? ? ? ? H]; subst. destruct H as [H|H]; discriminate.
Qed.

(** (iv): content equality implies it, also with the upper row re-marked at its left edge, and is not implied by it. *)
Theorem row_eq_one_shot R R' : row_eq R R' -> row_le1 R R' /\ row_le1 R (Row [] (flat R')).
Proof.
  intros E. split.
  - apply (proj2 (row_le1_mutual R R') E).
  - apply (proj2 (row_le1_mutual R (Row [] (flat R'))) E).
Qed.
Theorem one_shot_proper : exists R R', row_le1 R R' /\ row_le1 R (Row [] (flat R')) /\ ~ row_eq R R'.
Proof.
  exists (Row [Atom 1 "default"%string] []), top. repeat split; try apply row_le_one_shot, row_le_top. discriminate.
Qed.
