(** Facts about lengths on which complete mode's procedure relies (docs/decidability.md): Decision.3 and 8 to 11. *)
From Coq Require Import List String ZArith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction certificate.Form certificate.Statement certificate.Walk Equations.
Import ListNotations.
Open Scope string_scope.
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

(** (place), mirrored: each axis behind the marker is c or the unit. *)
Lemma pin_place_right g c x : sat Marked g (pin_right c x) ->
  forall i d, nth_error (rev (flat (vrow g x))) i = Some d -> d <> Unit -> d <> dval g c -> (length (trail (vrow g x)) <= i)%nat.
Proof.
  intros H%pin_right_outer i d E U N.
  destruct (Nat.le_gt_cases (length (trail (vrow g x))) i) as [|L]; auto. exfalso. unfold flat in E.
  rewrite rev_app_distr, nth_error_app1 in E by (rewrite rev_length; exact L).
  destruct (outer_shift _ _ H i d E); contradiction.
Qed.

(** * Decision.10(at most): the exact sum *)

Definition atom_of (n : positive) : dim := Atom n "default".
Definition behind (x : string) (n : positive) : rterm := RTerm [] (Some x) [DConst (atom_of n)].
Definition in_front (n : positive) (x : string) : rterm := RTerm [DConst (atom_of n)] (Some x) [].
Definition exact_sum : list constr :=
  [ REq (bare "c") (behind "i" 7); pin_right (DConst (atom_of 5)) "c";
    REq (bare "d") (in_front 7 "j"); pin_left (DConst (atom_of 5)) "d";
    REq (bare "e") (bare "i"); RLe (bare "c") (bare "e");
    REq (bare "f") (bare "j"); RLe (bare "d") (bare "f");
    RLe (bare "u") (bare "e"); RLe (bare "u") (bare "f");
    RLe (bare "v") (bare "c"); RLe (bare "v") (bare "d");
    REq (bare "v1") (bare "v"); REq (bare "v2") (bare "v");
    pin_left (DConst Unit) "v1"; pin_right (DConst Unit) "v2";
    RLe (bare "v1") (bare "u"); RLe (bare "v2") (bare "u") ].

Lemma value_of_bare g x : rval g (bare x) = vrow g x.
Proof. unfold rval; cbn. rewrite app_nil_r. now destruct (vrow g x). Qed.
Lemma outer_at xs ys i y : outer xs ys -> nth_error ys i = Some y -> y <> Unit -> nth_error xs i = Some y.
Proof.
  intros O. revert i. induction O as [|a b xs ys L _ IH]; intros [|i]; cbn; try discriminate; auto.
  intros [= ->] U. f_equal. destruct L; congruence.
Qed.

Theorem exact_sum_rank g : sol Marked exact_sum g -> rank (vrow g "u") = (rank (vrow g "i") + rank (vrow g "j"))%nat.
Proof.
  unfold sol. rewrite Forall_forall. intros H.
  assert (Le : forall x y, In (RLe (bare x) (bare y)) exact_sum -> row_le (vrow g x) (vrow g y)).
  { intros x y I. specialize (H _ I). cbn [sat row_below] in H. now rewrite !value_of_bare in H. }
  assert (Same : forall x y, In (REq (bare x) (bare y)) exact_sum -> flat (vrow g x) = flat (vrow g y)).
  { intros x y I. specialize (H _ I). cbn [sat] in H. unfold row_eq in H. now rewrite !value_of_bare in H. }
  assert (Fc : flat (vrow g "c") = flat (vrow g "i") ++ [atom_of 7]).
  { assert (K := H (REq (bare "c") (behind "i" 7)) ltac:(cbn; auto)). cbn [sat] in K. unfold row_eq in K. rewrite value_of_bare in K.
    rewrite K. unfold flat, rval, behind; cbn. now rewrite app_assoc. }
  assert (Fd : flat (vrow g "d") = atom_of 7 :: flat (vrow g "j")).
  { assert (K := H (REq (bare "d") (in_front 7 "j")) ltac:(cbn; auto)). cbn [sat] in K. unfold row_eq in K. rewrite value_of_bare in K.
    rewrite K. unfold flat, rval, in_front; cbn. now rewrite app_nil_r. }
  assert (Tc : trail (vrow g "c") = []).
  { apply (pin_right_only g (DConst (atom_of 5)) "c" (atom_of 7)); [apply H; cbn; auto | | reflexivity | discriminate].
    rewrite Fc, rev_app_distr. reflexivity. }
  assert (Ld : lead (vrow g "d") = []).
  { apply (pin_left_only g (DConst (atom_of 5)) "d" (atom_of 7)); [apply H; cbn; auto | | reflexivity | discriminate].
    now rewrite Fd. }
  assert (Ri := f_equal (@length dim) (Same "e" "i" ltac:(cbn; tauto))). assert (Rj := f_equal (@length dim) (Same "f" "j" ltac:(cbn; tauto))).
  assert (Ce := Le "c" "e" ltac:(cbn; tauto)). assert (Df := Le "d" "f" ltac:(cbn; tauto)).
  assert (Ue := Le "u" "e" ltac:(cbn; tauto)). assert (Uf := Le "u" "f" ltac:(cbn; tauto)).
  assert (Vc := Le "v" "c" ltac:(cbn; tauto)). assert (Vd := Le "v" "d" ltac:(cbn; tauto)).
  assert (V1u := Le "v1" "u" ltac:(cbn; tauto)). assert (V2u := Le "v2" "u" ltac:(cbn; tauto)).
  assert (S1 := Same "v1" "v" ltac:(cbn; tauto)). assert (S2 := Same "v2" "v" ltac:(cbn; tauto)).
  rewrite !length_flat in Ri, Rj.
  (* The 7 of c in v, from the left, and that of d, from the right. *)
  assert (At1 : nth_error (flat (vrow g "v")) (rank (vrow g "i")) = Some (atom_of 7)).
  { apply row_le_flanks in Vc as [O _]. unfold flat at 1. apply (outer_at _ _ (rank (vrow g "i")) (atom_of 7)) in O; [|  | discriminate].
    - rewrite nth_error_app1; [exact O|]. apply nth_error_Some. congruence.
    - unfold flat in Fc at 1. rewrite Tc, app_nil_r in Fc. rewrite Fc. unfold rank. rewrite <- app_length.
      fold (flat (vrow g "i")). rewrite nth_error_app2 by lia. now rewrite Nat.sub_diag. }
  assert (At2 : nth_error (rev (flat (vrow g "v"))) (rank (vrow g "j")) = Some (atom_of 7)).
  { apply row_le_flanks in Vd as [_ O]. unfold flat at 1. rewrite rev_app_distr.
    apply (outer_at _ _ (rank (vrow g "j")) (atom_of 7)) in O; [|  | discriminate].
    - rewrite nth_error_app1; [exact O|]. apply nth_error_Some. congruence.
    - unfold flat in Fd at 1. rewrite Ld in Fd. cbn in Fd. rewrite Fd. cbn [rev]. unfold rank. rewrite <- app_length.
      fold (flat (vrow g "j")). rewrite <- (rev_length (flat (vrow g "j"))). rewrite nth_error_app2 by lia. now rewrite Nat.sub_diag. }
  rewrite <- S1 in At1. rewrite <- S2 in At2.
  assert (B1 : (length (lead (vrow g "v1")) <= rank (vrow g "i"))%nat).
  { apply (proj2 (pin_place g (DConst Unit) "v1" ltac:(apply H; cbn; tauto)) _ _ At1); discriminate. }
  assert (B2 : (length (trail (vrow g "v2")) <= rank (vrow g "j"))%nat).
  { apply (pin_place_right g (DConst Unit) "v2" ltac:(apply H; cbn; tauto) _ _ At2); discriminate. }
  destruct Ce as (_ & Ce & _), Df as (Df & _), Ue as (Ue & _), Uf as (_ & Uf & _), V1u as (V1u & _), V2u as (_ & V2u & _).
  rewrite Tc in Ce. rewrite Ld in Df. unfold rank in *. cbn in *. lia.
Qed.

(** * Decision.11: equations colour *)

Definition ring : list dim := map atom_of [3; 5; 7; 3; 7; 5]%positive.
Definition colouring : constr :=
  REq (RTerm (map DVar ["a"; "b"; "x"; "y"; "z"; "t"]%string) (Some "w"%string) []) (RTerm [] (Some "w"%string) (map DConst ring)).
Definition colours : list dim := map atom_of [3; 5; 7]%positive.

Lemma colouring_word o g : sat o g colouring <->
  flat (vrow g "w") ++ ring = map (vdim g) ["a"; "b"; "x"; "y"; "z"; "t"]%string ++ flat (vrow g "w").
Proof.
  cbn [sat colouring]. unfold row_eq, flat, rval; cbn. rewrite app_nil_r, <- app_assoc. split; intros E; symmetry; exact E.
Qed.

Theorem colouring_iff o d e :
  (exists g, vdim g "a" = d /\ vdim g "b" = e /\ sat o g colouring) <-> In d colours /\ In e colours /\ d <> e.
Proof.
  split.
  - intros (g & <- & <- & S). apply colouring_word in S. set (w := map (vdim g) ["a"; "b"; "x"; "y"; "z"; "t"]%string) in *.
    assert (N : w <> []) by discriminate.
    assert (K := proj1 (word_conjugate w ring N) (ex_intro _ _ S)). destruct K as (p & q & W & R).
    assert (L : (length q <= 6)%nat).
    { apply (f_equal (@length dim)) in R. rewrite app_length in R. cbn in R. lia. }
    assert (Q : q = firstn (length q) ring) by (rewrite R; now rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r).
    assert (P : p = skipn (length q) ring) by (rewrite R; now rewrite skipn_app, skipn_all, Nat.sub_diag).
    rewrite Q, P in W. clear - W L. unfold w in W. cbn [map] in W.
    assert (D : forall n m, n <> m -> atom_of n <> atom_of m) by (unfold atom_of; congruence).
    assert (A := f_equal (fun l => nth 0 l Unit) W). assert (B := f_equal (fun l => nth 1 l Unit) W). clear W.
    set (k := length q) in *. clearbody k. do 7 (destruct k as [|k]; [cbn in A, B; rewrite A, B; cbn; repeat split; auto; apply D; discriminate | ]); lia.
  - intros (D & E & N).
    assert (Ex : forall k, (k <= 6)%nat -> exists g, map (vdim g) ["a"; "b"; "x"; "y"; "z"; "t"]%string = skipn k ring ++ firstn k ring /\ sat o g colouring).
    { intros k L. set (s := skipn k ring ++ firstn k ring).
      set (g := Val (fun n => if String.eqb n "a" then nth 0 s Unit else if String.eqb n "b" then nth 1 s Unit else if String.eqb n "x" then nth 2 s Unit
        else if String.eqb n "y" then nth 3 s Unit else if String.eqb n "z" then nth 4 s Unit else nth 5 s Unit) (fun _ => Row (skipn k ring) [])).
      assert (M : map (vdim g) ["a"; "b"; "x"; "y"; "z"; "t"]%string = s).
      { assert (Ls : length s = 6%nat) by (unfold s; clear - L; do 7 (destruct k as [|k]; [reflexivity|]); lia).
        cbn. destruct s as [|? [|? [|? [|? [|? [|? [|]]]]]]]; cbn in Ls; try discriminate Ls. reflexivity. }
      exists g. split; [exact M|]. apply colouring_word. rewrite M. unfold flat; cbn [vrow g lead trail]. rewrite app_nil_r. unfold s.
      rewrite <- app_assoc. f_equal. rewrite (firstn_skipn k ring). reflexivity. }
    assert (Done : forall k a b, (k <= 6)%nat -> (exists rest, skipn k ring ++ firstn k ring = a :: b :: rest) ->
      exists g, vdim g "a" = a /\ vdim g "b" = b /\ sat o g colouring).
    { intros k a b L [rest R]. destruct (Ex k L) as (g & M & S). exists g. rewrite R in M. cbn in M. injection M as -> -> _. auto. }
    cbn in D, E. destruct D as [<-|[<-|[<-|[]]]], E as [<-|[<-|[<-|[]]]]; try congruence.
    + apply (Done 0%nat); [lia | cbn; eauto].
    + apply (Done 3%nat); [lia | cbn; eauto].
    + apply (Done 5%nat); [lia | cbn; eauto].
    + apply (Done 1%nat); [lia | cbn; eauto].
    + apply (Done 2%nat); [lia | cbn; eauto].
    + apply (Done 4%nat); [lia | cbn; eauto].
Qed.
