(** §4, equality between rows (Def. 4.3(a) to (d)) and the word equations that it leaves. Equality is that of the content, so
    everything here holds for both readings of [<=]. *)
From Coq Require Import List String Lia Arith PArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
Import ListNotations.
Open Scope list_scope.
Notation length := List.length.

Definition zip_eq (l l' : list dterm) : list constr := map (fun p => DEq (fst p) (snd p)) (combine l l').
Definition flat_term (R : rterm) : list dterm := rlead R ++ rtrail R.

Lemma zip_eq_map o g l l' : length l = length l' ->
  (Forall (sat o g) (zip_eq l l') <-> map (dval g) l = map (dval g) l').
Proof.
  unfold zip_eq. revert l'. induction l; destruct l'; simpl; try discriminate; intros H; [split; auto|].
  injection H as H. specialize (IHl _ H).
  split; [inversion 1; subst; f_equal; tauto | intros [= ? ?]; constructor; tauto].
Qed.
Lemma flat_open g R : flat (rval g R) = map (dval g) (rlead R) ++ flat (mid g (rvar R)) ++ map (dval g) (rtrail R).
Proof. unfold flat, rval; simpl. now rewrite <- !app_assoc. Qed.
Lemma flat_closed g R : rvar R = None -> flat (rval g R) = map (dval g) (flat_term R).
Proof. intros E. rewrite flat_open, E. unfold flat_term. now rewrite map_app. Qed.
Lemma app_split_r {A} (a a' b b' : list A) : length b = length b' -> a ++ b = a' ++ b' -> a = a' /\ b = b'.
Proof.
  intros L E. apply app_split; auto. apply (f_equal (@length A)) in E. rewrite !app_length in E. lia.
Qed.

(** * Def. 4.3(a): two closed rows *)

Theorem re_closed o g R R' : rvar R = None -> rvar R' = None ->
  (sat o g (REq R R') <-> length (flat_term R) = length (flat_term R') /\ Forall (sat o g) (zip_eq (flat_term R) (flat_term R'))).
Proof.
  intros E E'. simpl. unfold row_eq. rewrite !flat_closed by auto. split.
  - intros H. assert (K : length (flat_term R) = length (flat_term R')).
    { apply (f_equal (@length dim)) in H. now rewrite !map_length in H. }
    split; auto. now apply zip_eq_map.
  - intros [K H]. now apply (zip_eq_map o) in H.
Qed.

(** * Def. 4.3(b): one open row *)

Theorem re_overflow o g R R' : rvar R' = None -> length (flat_term R') < length (flat_term R) -> ~ sat o g (REq R R').
Proof.
  intros E H K. simpl in K; unfold row_eq in K. apply (f_equal (@length dim)) in K.
  rewrite flat_open, flat_closed, !app_length, !map_length in K by auto.
  unfold flat_term in *. rewrite !app_length in *. lia.
Qed.

(** The part of the closed row's content that the written axes of the open one leave. *)
Definition middle (R R' : rterm) : list dterm :=
  firstn (length (flat_term R') - length (flat_term R)) (skipn (length (rlead R)) (flat_term R')).

(** The flanks are zipped, and the content of the variable is the middle; of its marker nothing is said, so each placement is as
    good as another one. *)
Theorem re_content o g R R' x : rvar R = Some x -> rvar R' = None -> length (flat_term R) <= length (flat_term R') ->
  let F := flat_term R' in
  (sat o g (REq R R') <->
   Forall (sat o g) (zip_eq (rlead R) (firstn (length (rlead R)) F)) /\
   flat (vrow g x) = map (dval g) (middle R R') /\
   Forall (sat o g) (zip_eq (rtrail R) (skipn (length F - length (rtrail R)) F))).
Proof.
  intros E E' H F. simpl. unfold row_eq, middle. rewrite flat_open, flat_closed, E by auto. fold F. simpl.
  assert (P : length (flat_term R) = length (rlead R) + length (rtrail R)) by apply app_length.
  set (n := length (rlead R)) in *. set (m := length (rtrail R)) in *. fold F in H.
  assert (D : F = firstn n F ++ firstn (length F - length (flat_term R)) (skipn n F) ++ skipn (length F - m) F).
  { rewrite <- (firstn_skipn n F) at 1. f_equal.
    rewrite <- (firstn_skipn (length F - length (flat_term R)) (skipn n F)) at 1. f_equal.
    rewrite skipn_skipn_add. f_equal. lia. }
  assert (L : length (firstn n F) = n) by (rewrite firstn_length; lia).
  assert (M : length (skipn (length F - m) F) = m) by (rewrite skipn_length; lia).
  rewrite !zip_eq_map by auto. split.
  - intros K. rewrite D, !map_app in K.
    apply app_split in K as [K1 K]; [|now rewrite !map_length]. split; auto.
    apply app_split_r in K as [K2 K3]; [auto|now rewrite !map_length].
  - intros (-> & -> & ->). rewrite <- !map_app. now rewrite <- D.
Qed.

(** * Def. 4.3(c) and (d): two open rows

    The outer axes that face each other are equal, and what is left is an equation between what they enclose. *)

Definition inner (k m : nat) (R : rterm) : rterm :=
  RTerm (skipn k (rlead R)) (rvar R) (firstn (length (rtrail R) - m) (rtrail R)).

Theorem re_aligned o g R R' k m :
  k <= length (rlead R) -> k <= length (rlead R') -> m <= length (rtrail R) -> m <= length (rtrail R') ->
  (sat o g (REq R R') <->
   Forall (sat o g) (zip_eq (firstn k (rlead R)) (firstn k (rlead R'))) /\
   Forall (sat o g) (zip_eq (skipn (length (rtrail R) - m) (rtrail R)) (skipn (length (rtrail R') - m) (rtrail R'))) /\
   sat o g (REq (inner k m R) (inner k m R'))).
Proof.
  intros K K' M M'. rewrite !zip_eq_map by (rewrite ?firstn_length, ?skipn_length; lia).
  simpl. unfold row_eq. rewrite !flat_open. simpl.
  assert (N : length (firstn k (rlead R)) = k) by (rewrite firstn_length; lia).
  assert (N' : length (firstn k (rlead R')) = k) by (rewrite firstn_length; lia).
  set (j := length (rtrail R) - m). set (j' := length (rtrail R') - m).
  assert (W : length (skipn j (rtrail R)) = m) by (rewrite skipn_length; lia).
  assert (W' : length (skipn j' (rtrail R')) = m) by (rewrite skipn_length; lia).
  rewrite <- (firstn_skipn k (rlead R)) at 1. rewrite <- (firstn_skipn k (rlead R')) at 1.
  rewrite <- (firstn_skipn j (rtrail R)) at 1. rewrite <- (firstn_skipn j' (rtrail R')) at 1.
  rewrite !map_app, <- !app_assoc. split.
  - intros E. apply app_split in E as [E1 E]; [|now rewrite !map_length, N]. split; auto.
    rewrite !app_assoc in E. apply app_split_r in E as [E E2]; [|now rewrite !map_length, W].
    split; auto. now rewrite <- !app_assoc in E.
  - intros (-> & -> & E). f_equal. rewrite !app_assoc. f_equal. now rewrite <- !app_assoc.
Qed.

(** (c-nested): the variable without a surplus has the content of the other row's surpluses around its variable. *)
Theorem re_nested o g R R' x : rvar R = Some x ->
  length (rlead R) <= length (rlead R') -> length (rtrail R) <= length (rtrail R') ->
  let k := length (rlead R) in let m := length (rtrail R) in
  (sat o g (REq R R') <->
   Forall (sat o g) (zip_eq (rlead R) (firstn k (rlead R'))) /\
   Forall (sat o g) (zip_eq (rtrail R) (skipn (length (rtrail R') - m) (rtrail R'))) /\
   sat o g (REq (bare x) (inner k m R'))).
Proof.
  intros E L T k m. rewrite (re_aligned o g R R' k m) by auto.
  replace (inner k m R) with (bare x); [|unfold inner, bare, k, m; now rewrite skipn_all, Nat.sub_diag, E].
  subst k m. rewrite firstn_all, Nat.sub_diag. reflexivity.
Qed.

(** (c-split): the residue is an equation [s·x₁ ≈ x₂·t], which is deferred. *)
Theorem re_split o g R R' x y : rvar R = Some x -> rvar R' = Some y ->
  length (rlead R') <= length (rlead R) -> length (rtrail R) <= length (rtrail R') ->
  let k := length (rlead R') in let m := length (rtrail R) in
  (sat o g (REq R R') <->
   Forall (sat o g) (zip_eq (firstn k (rlead R)) (rlead R')) /\
   Forall (sat o g) (zip_eq (rtrail R) (skipn (length (rtrail R') - m) (rtrail R'))) /\
   sat o g (REq (RTerm (skipn k (rlead R)) (Some x) []) (RTerm [] (Some y) (firstn (length (rtrail R') - m) (rtrail R'))))).
Proof.
  intros E E' L T k m. rewrite (re_aligned o g R R' k m) by auto. unfold inner. rewrite E, E'.
  subst k m. rewrite firstn_all, skipn_all, Nat.sub_diag. reflexivity.
Qed.

(** (d): the same variable. Unequal totals have no solution; without surpluses nothing is left; else the residue is deferred. *)
Theorem re_occurs o g R R' x : rvar R = Some x -> rvar R' = Some x -> length (flat_term R) <> length (flat_term R') ->
  ~ sat o g (REq R R').
Proof.
  intros E E' H K. simpl in K; unfold row_eq in K. rewrite !flat_open, E, E' in K.
  apply (f_equal (@length dim)) in K. rewrite !app_length, !map_length in K.
  unfold flat_term in H. rewrite !app_length in H. lia.
Qed.
Theorem re_same o g R R' x : rvar R = Some x -> rvar R' = Some x ->
  length (rlead R) = length (rlead R') -> length (rtrail R) = length (rtrail R') ->
  (sat o g (REq R R') <-> Forall (sat o g) (zip_eq (rlead R) (rlead R')) /\ Forall (sat o g) (zip_eq (rtrail R) (rtrail R'))).
Proof.
  intros E E' L T. rewrite (re_aligned o g R R' (length (rlead R)) (length (rtrail R))) by lia.
  unfold inner. rewrite E, E', firstn_all, skipn_all, Nat.sub_diag.
  replace (firstn (length (rlead R)) (rlead R')) with (rlead R') by (rewrite L; now rewrite firstn_all).
  replace (skipn (length (rlead R)) (rlead R')) with (@nil dterm) by (rewrite L; now rewrite skipn_all).
  replace (length (rtrail R') - length (rtrail R)) with 0 by lia. simpl. intuition.
Qed.

(** * The word equations *)

Section Words.
Context {A : Type}.
Implicit Types s t x w u v : list A.

(** (c) repaired: the solutions in which [x₂] is at least as long as [s] are the principal family … *)
Theorem word_family s x1 x2 t : length s <= length x2 -> (s ++ x1 = x2 ++ t <-> exists w, x2 = s ++ w /\ x1 = w ++ t).
Proof.
  intros L. split.
  - intros E. exists (skipn (length s) x2). rewrite <- (firstn_skipn (length s) x2), <- app_assoc in E.
    apply app_split in E as [E1 E2]; [|rewrite firstn_length; lia]. split; auto.
    rewrite E1 at 1. now rewrite firstn_skipn.
  - intros (w & -> & ->). now rewrite app_assoc.
Qed.

(** … and in the others [x₂] is a proper prefix of [s]; there is at most one for each length, so there are at most |s| of them. *)
Theorem word_sporadic s x1 x2 t : length x2 < length s -> s ++ x1 = x2 ++ t -> x2 = firstn (length x2) s.
Proof.
  intros L E. apply (f_equal (firstn (length x2))) in E.
  rewrite !firstn_app, firstn_all, Nat.sub_diag in E. replace (length x2 - length s) with 0 in E by lia.
  rewrite !firstn_O, !app_nil_r in E. auto.
Qed.
Theorem word_sporadic_unique s t x1 x2 y1 y2 : length x2 < length s ->
  s ++ x1 = x2 ++ t -> s ++ y1 = y2 ++ t -> length x2 = length y2 -> x1 = y1 /\ x2 = y2.
Proof.
  intros L E F K. assert (x2 = y2) as ->.
  { rewrite (word_sporadic s x1 x2 t L E), (word_sporadic s y1 y2 t ltac:(lia) F). now rewrite K. }
  split; auto. rewrite <- F in E. now apply app_inv_head in E.
Qed.

(** (d): the solutions of [x·t = s·x] are the periodic words [s·…·s·u] for the ways of writing [s = u·v], [t = v·u], which exist
    exactly for conjugate [s] and [t]. *)
Fixpoint power (n : nat) s : list A := match n with 0 => [] | S n => s ++ power n s end.
Lemma power_shift n s : s ++ power n s = power n s ++ s.
Proof. induction n; simpl; [now rewrite app_nil_r|]. now rewrite IHn at 1; rewrite app_assoc. Qed.
Theorem word_rotation s t x : s <> [] ->
  (x ++ t = s ++ x <-> exists n u v, s = u ++ v /\ t = v ++ u /\ x = power n s ++ u).
Proof.
  intros N. split.
  - remember (length x) as n eqn:Hn. assert (B : length x <= n) by lia. clear Hn. revert x B.
    induction n as [|n IH]; intros x B E.
    + destruct x; [|simpl in B; lia]. simpl in E. rewrite app_nil_r in E. exists 0, [], s. subst. simpl. now rewrite app_nil_r.
    + destruct (le_lt_dec (length s) (length x)) as [L|L].
      * assert (D : x = s ++ skipn (length s) x).
        { rewrite <- (firstn_skipn (length s) x) in E at 1. rewrite <- app_assoc in E.
          apply app_split in E as [E _]; [|rewrite firstn_length; lia]. rewrite <- E at 1. now rewrite firstn_skipn. }
        set (y := skipn (length s) x) in *. destruct (IH y) as (k & u & v & S1 & T1 & X1).
        { rewrite D, app_length in B. destruct s; [congruence | simpl in B; lia]. }
        { rewrite D, <- app_assoc in E. now apply app_inv_head in E. }
        exists (S k), u, v. rewrite D, X1. simpl. now rewrite app_assoc.
      * assert (D : s = x ++ skipn (length x) s).
        { rewrite <- (firstn_skipn (length x) s) in E at 1. rewrite <- app_assoc in E.
          apply app_split in E as [E _]; [|rewrite firstn_length; lia]. rewrite E at 1. now rewrite firstn_skipn. }
        exists 0, x, (skipn (length x) s). simpl. split; [|split]; auto.
        rewrite D, <- app_assoc in E. now apply app_inv_head in E.
  - intros (n & u & v & -> & -> & ->). rewrite (app_assoc (u ++ v) (power n (u ++ v)) u), power_shift.
    now rewrite <- !app_assoc.
Qed.
Theorem word_conjugate s t : s <> [] -> ((exists x, x ++ t = s ++ x) <-> exists u v, s = u ++ v /\ t = v ++ u).
Proof.
  intros N. split.
  - intros [x E]. apply word_rotation in E as (n & u & v & H); [|exact N]. exists u, v. tauto.
  - intros (u & v & S1 & T1). exists u. apply word_rotation; auto. exists 0, u, v. auto.
Qed.
(** Closing the variable upward accepts exactly [s = t]. *)
Theorem word_closed s t : [] ++ t = s ++ [] <-> s = t.
Proof. rewrite app_nil_r. simpl. split; congruence. Qed.
End Words.

(** (c): the upward close of either variable is a commitment, which may have no solution although the equation has one. *)
Theorem close_is_commitment : exists s t : list dim,
  (exists x1 x2, s ++ x1 = x2 ++ t) /\ (forall x1, s ++ x1 <> [] ++ t) /\ (forall x2, s ++ [] <> x2 ++ t).
Proof.
  set (d n := Atom n "default"%string). exists [d 3%positive], [d 5%positive]. split; [|split].
  - exists [d 5%positive], [d 3%positive]. reflexivity.
  - intros x1 H. discriminate H.
  - intros [|y [|z x2]] H; discriminate H.
Qed.
