(** §4: the rules for dimensions (Def. 4.2) and for inequalities between rows (Def. 4.3(i) to (iv)), and the facts about ranks
    (Def. 4.5(1) to (3)). Each rule keeps the set of solutions. Inequalities are in the marked order, flank by flank. *)
From Coq Require Import List String Lia Arith PArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
Import ListNotations.
Open Scope list_scope.
Notation length := List.length.

(** * Def. 4.2: dimensions, for both readings of [<=] *)

Section Dimensions.
Variables (o : order) (g : val).

Theorem de_refl t : sat o g (DEq t t).
Proof. reflexivity. Qed.
Theorem de_clash d d' : d <> d' -> ~ sat o g (DEq (DConst d) (DConst d')).
Proof. auto. Qed.
(** DE-bind: where a variable has the value of a term, it may be replaced by the term everywhere. *)
Definition binding (a : string) (t : dterm) : subst := Subst (fun b => if String.eqb b a then t else DVar b) bare.
Lemma rval_bare x : rval g (bare x) = vrow g x.
Proof. unfold rval; simpl. rewrite app_nil_r. now destruct (vrow g x). Qed.
Theorem de_bind a t c : sat o g (DEq (DVar a) t) -> (sat o g c <-> sat o g (sub_c (binding a t) c)).
Proof.
  intros H. apply sat_bound; simpl; [|now intros; rewrite rval_bare].
  intros b. destruct (String.eqb_spec b a) as [->|_]; auto.
Qed.
Theorem di_top t : sat o g (DLe t (DConst Unit)).
Proof. now left. Qed.
Theorem di_refl t : sat o g (DLe t t).
Proof. now right. Qed.
Theorem di_ground d d' : sat o g (DLe (DConst d) (DConst d')) <-> d' = Unit \/ d = d'.
Proof. reflexivity. Qed.
Theorem di_pin t d : d <> Unit -> (sat o g (DLe t (DConst d)) <-> sat o g (DEq t (DConst d))).
Proof. simpl; unfold dim_le; intuition congruence. Qed.
Theorem di_pin_top t : sat o g (DLe (DConst Unit) t) <-> sat o g (DEq t (DConst Unit)).
Proof. simpl; unfold dim_le; intuition congruence. Qed.
(** DI-cap: a second bound that is another atom. The same bound again adds nothing. *)
Theorem di_cap d d' t : d <> d' ->
  (sat o g (DLe (DConst d) t) /\ sat o g (DLe (DConst d') t) <-> sat o g (DEq t (DConst Unit))).
Proof. simpl; unfold dim_le; intuition congruence. Qed.
(** DI-adj stores the inequality as it is. A bound that is stored may travel along it. *)
Theorem di_adj d t t' : sat o g (DLe (DConst d) t) -> sat o g (DLe t t') -> sat o g (DLe (DConst d) t').
Proof. simpl. apply dim_le_trans. Qed.
Theorem di_antisym t t' : sat o g (DLe t t') /\ sat o g (DLe t' t) <-> sat o g (DEq t t').
Proof. simpl; unfold dim_le; intuition congruence. Qed.
End Dimensions.

(** * Def. 4.3(i) and (ii): the aligned pairs, and what is left of the result *)

(** The inequalities of axes that face each other, from the outer edge. *)
Definition facing (l l' : list dterm) : list constr := map (fun p => DLe (fst p) (snd p)) (combine l l').
Definition aligned (R R' : rterm) : list constr :=
  facing (rlead R) (rlead R') ++ facing (rev (rtrail R)) (rev (rtrail R')).
Definition residue (R R' : rterm) : rterm :=
  RTerm (skipn (length (rlead R')) (rlead R)) (rvar R) (rev (skipn (length (rtrail R')) (rev (rtrail R)))).

Lemma facing_outer o g l l' : length l' <= length l ->
  (Forall (sat o g) (facing l l') <-> outer (map (dval g) l) (map (dval g) l')).
Proof.
  unfold facing. revert l. induction l' as [|y l' IH]; intros [|x l] H; simpl in *; try lia;
    try solve [split; intros; constructor].
  split; inversion 1; subst; constructor; auto; apply IH; auto; lia.
Qed.

(** One flank [l·X] against [l'·X'], where [l'] is not longer: the facing axes, and the rest against [X']. *)
Lemma flank_residue o g l l' X X' : length l' <= length l ->
  (outer (map (dval g) l ++ X) (map (dval g) l' ++ X') <->
   Forall (sat o g) (facing l l') /\ outer (map (dval g) (skipn (length l') l) ++ X) X').
Proof.
  intros H. rewrite facing_outer by auto.
  rewrite outer_app, outer_weaken by (rewrite ?app_length, ?map_length; lia).
  rewrite map_length, skipn_app, map_length. replace (length l' - length l) with 0 by lia.
  now rewrite skipn_map.
Qed.

(** (i) repaired. *)
Theorem ri_cap g R R' :
  length (rlead R') <= length (rlead R) -> length (rtrail R') <= length (rtrail R) ->
  (sat Marked g (RLe R R') <->
   Forall (sat Marked g) (aligned R R') /\ sat Marked g (RLe (residue R R') (RTerm [] (rvar R') []))).
Proof.
  intros L T. simpl. rewrite !row_le_flanks. unfold aligned, rval; simpl.
  rewrite Forall_app, !rev_app_distr, <- !map_rev, rev_involutive.
  rewrite (flank_residue Marked) by auto.
  rewrite (flank_residue Marked) by now rewrite !rev_length. rewrite rev_length. simpl. rewrite ?app_nil_r. tauto.
Qed.

(** (ii) repaired. *)
Theorem ri_closed_operand g R R' : rvar R' = None ->
  length (rlead R') <= length (rlead R) -> length (rtrail R') <= length (rtrail R) ->
  (sat Marked g (RLe R R') <-> Forall (sat Marked g) (aligned R R')).
Proof. intros E L T. rewrite ri_cap by auto. rewrite E. intuition. apply row_le_top. Qed.

(** (iii) by flanks. *)
Theorem ri_short g R R' : rvar R = None ->
  length (rlead R) < length (rlead R') \/ length (rtrail R) < length (rtrail R') -> ~ sat Marked g (RLe R R').
Proof.
  intros E H (A & B & _). unfold rval in *; rewrite E in *; simpl in *.
  rewrite !app_length, !map_length in *; simpl in *. lia.
Qed.

(** (iii) as printed, where the whole known flanks are compared; for both readings of [<=]. *)
Theorem ri_short_total o g R R' : rvar R = None ->
  length (rlead R) + length (rtrail R) < length (rlead R') + length (rtrail R') -> ~ sat o g (RLe R R').
Proof.
  intros E H K. assert (N : rank (rval g R') <= rank (rval g R)) by (destruct o; [destruct K as (A & B & _); unfold rank; lia | apply K]).
  unfold rank, rval in N. rewrite E in N. simpl in N. rewrite !app_length, !map_length in N. simpl in N. lia.
Qed.

(** * Def. 4.3(iv) repaired: the deficit *)

Definition lead_deficit (R R' : rterm) : nat := length (rlead R') - length (rlead R).
Definition trail_deficit (R R' : rterm) : nat := length (rtrail R') - length (rtrail R).

(** The value of the result's variable has room for each flank's deficit. *)
Lemma ri_room g R R' x : rvar R = Some x -> sat Marked g (RLe R R') ->
  exists ds v es, vrow g x = Row (ds ++ lead v) (trail v ++ es) /\
    length ds = lead_deficit R R' /\ length es = trail_deficit R R'.
Proof.
  intros E (A & B & _). unfold rval, lead_deficit, trail_deficit in *; rewrite E in *; simpl in *.
  rewrite !app_length, !map_length in *. destruct (vrow g x) as [l r]; simpl in *.
  set (k := length (rlead R') - length (rlead R)). set (m := length (rtrail R') - length (rtrail R)).
  exists (firstn k l), (Row (skipn k l) (firstn (length r - m) r)), (skipn (length r - m) r); simpl.
  rewrite !firstn_skipn, firstn_length, skipn_length. repeat split; lia.
Qed.

(** A valuation with new values at some names. *)
Fixpoint with_dims (names : list string) (ds : list dim) (f : string -> dim) (a : string) : dim :=
  match names, ds with
  | n :: names, d :: ds => if String.eqb a n then d else with_dims names ds f a
  | _, _ => f a
  end.
Lemma with_dims_other names : forall ds f a, ~ In a names -> with_dims names ds f a = f a.
Proof.
  induction names as [|n names IH]; intros [|d ds] f a N; simpl in *; auto.
  destruct (String.eqb_spec a n) as [->|_]; [tauto|]. apply IH. tauto.
Qed.
Lemma with_dims_own names : forall ds f, NoDup names -> length names = length ds -> map (with_dims names ds f) names = ds.
Proof.
  induction names as [|n names IH]; intros [|d ds] f N L; simpl in *; try discriminate; auto.
  inversion N as [|? ? N1 N2]; subst. rewrite String.eqb_refl. f_equal.
  transitivity (map (with_dims names ds f) names); [|apply IH; auto; lia]. apply map_ext_in. intros a I.
  destruct (String.eqb_spec a n) as [->|_]; [contradiction|reflexivity].
Qed.

(** The growth of a row variable, by named axes around a new variable. *)
Definition grown (als : list string) (x' : string) (bes : list string) : rterm := RTerm (map DVar als) (Some x') (map DVar bes).
Definition growth (x : string) (T : rterm) : subst := Subst DVar (fun y => if String.eqb y x then T else bare y).

(** Every solution extends to the fresh variables: for every solution there is one of the new set that agrees with it except at
    the fresh variables, which occur nowhere in the old set. *)
Theorem ri_deficit_extends g S R R' x als x' bes :
  rvar R = Some x -> In (RLe R R') S -> sol Marked S g ->
  length als = lead_deficit R R' -> length bes = trail_deficit R R' -> NoDup (als ++ bes) ->
  (forall c, In c S -> ~ In x' (row_vars_of c) /\ forall a, In a (als ++ bes) -> ~ In a (dim_vars c)) ->
  exists h, agree_except (als ++ bes) [x'] g h /\ vrow h x = rval h (grown als x' bes) /\
    sol Marked S h /\ sol Marked (map (sub_c (growth x (grown als x' bes))) S) h.
Proof.
  intros E I H La Lb N F.
  assert (Hc : sat Marked g (RLe R R')) by (eapply Forall_forall in H; eauto).
  destruct (ri_room g R R' x E Hc) as (ds & v & es & V & Ld & Le).
  assert (X : x <> x').
  { intros ->. apply (proj1 (F _ I)). simpl. unfold row_vars. rewrite E. now left. }
  set (h := Val (with_dims (als ++ bes) (ds ++ es) (vdim g)) (fun y => if String.eqb y x' then v else vrow g y)).
  assert (A : agree_except (als ++ bes) [x'] g h).
  { split; simpl; intros y J; [now rewrite with_dims_other|].
    destruct (String.eqb_spec y x') as [->|_]; [exfalso; apply J; now left | reflexivity]. }
  assert (B : vrow h x = rval h (grown als x' bes)).
  { assert (W := with_dims_own (als ++ bes) (ds ++ es) (vdim g) N ltac:(rewrite !app_length; lia)).
    rewrite map_app in W. apply app_split in W as [Wa Wb]; [|rewrite map_length; lia].
    assert (Ma : map (dval h) (map DVar als) = ds) by (rewrite map_map; exact Wa).
    assert (Mb : map (dval h) (map DVar bes) = es) by (rewrite map_map; exact Wb).
    unfold rval, grown; cbn [rlead rvar rtrail mid]. rewrite Ma, Mb. simpl.
    destruct (String.eqb_spec x x') as [|_]; [contradiction|]. now rewrite String.eqb_refl. }
  assert (K : sol Marked S h).
  { apply Forall_forall. intros c J. apply (sat_agree Marked g h c).
    - intros a Ja. apply A. intros Jb. now apply (proj2 (F c J)) in Jb.
    - intros y Jy. apply A. intros [<-|[]]. now apply (proj1 (F c J)) in Jy.
    - eapply Forall_forall in H; eauto. }
  exists h. split; [|split; [|split]]; auto. apply Forall_map. eapply Forall_impl; [|exact K].
  intros c. apply sat_bound; simpl; auto. intros y. destruct (String.eqb_spec y x) as [->|_]; [exact B|].
  now rewrite rval_bare.
Qed.

(** No solution is added: one of the new set, read through the binding, is one of the old set. *)
Theorem ri_deficit_adds_none o g S x T : sol o (map (sub_c (growth x T)) S) g -> sol o S (after g (growth x T)).
Proof.
  unfold sol. rewrite Forall_map. intros H. eapply Forall_impl; [|exact H]. intros c. apply sat_after.
Qed.

(** * Def. 4.5(1) to (3): facts about ranks *)

Lemma rank_rval g R : rank (rval g R) = length (rlead R) + length (rtrail R) + rank (mid g (rvar R)).
Proof. unfold rank, rval; simpl. rewrite !app_length, !map_length. lia. Qed.
Theorem fact_binding g x x' l r :
  vrow g x = rval g (RTerm l (Some x') r) -> rank (vrow g x) = rank (vrow g x') + length l + length r.
Proof. intros ->. rewrite rank_rval. simpl. lia. Qed.
Lemma row_below_rank o R2 R1 : row_below o R2 R1 -> rank R1 <= rank R2.
Proof. destruct o; [intros (L & T & _); unfold rank; lia | now intros []]. Qed.

(** In both readings the ranks differ by at most the difference of the known flanks … *)
Theorem fact_ranks o g R R' x x' : rvar R = Some x -> rvar R' = Some x' -> sat o g (RLe R R') ->
  rank (vrow g x') + (length (rlead R') + length (rtrail R')) <= rank (vrow g x) + (length (rlead R) + length (rtrail R)).
Proof. intros E E' H%row_below_rank. rewrite !rank_rval, E, E' in H. simpl in H. lia. Qed.

(** … so equal known flanks give [≥] … *)
Theorem fact_equal_flanks o g R R' x x' : rvar R = Some x -> rvar R' = Some x' -> sat o g (RLe R R') ->
  length (rlead R) = length (rlead R') -> length (rtrail R) = length (rtrail R') -> rank (vrow g x') <= rank (vrow g x).
Proof. intros E E' H L T. assert (K := fact_ranks o g R R' x x' E E' H). lia. Qed.

(** … and a deficit of k gives [≥ … + k], and a surplus of s only [≥ … - s] … *)
Theorem fact_deficit o g R R' x x' k : rvar R = Some x -> rvar R' = Some x' -> sat o g (RLe R R') ->
  length (rlead R) + length (rtrail R) + k = length (rlead R') + length (rtrail R') -> rank (vrow g x') + k <= rank (vrow g x).
Proof. intros E E' H L. assert (K := fact_ranks o g R R' x x' E E' H). lia. Qed.
Theorem fact_surplus o g R R' x x' s : rvar R = Some x -> rvar R' = Some x' -> sat o g (RLe R R') ->
  length (rlead R) + length (rtrail R) = length (rlead R') + length (rtrail R') + s -> rank (vrow g x') <= rank (vrow g x) + s.
Proof. intros E E' H L. assert (K := fact_ranks o g R R' x x' E E' H). lia. Qed.

(** … of which 0 in place of [- s] would be wrong. *)
Theorem fact_surplus_zero_unsound : exists g R R' x x', rvar R = Some x /\ rvar R' = Some x' /\ sat Marked g (RLe R R') /\
  length (rlead R') + length (rtrail R') < length (rlead R) + length (rtrail R) /\ rank (vrow g x) < rank (vrow g x').
Proof.
  set (d := Atom 3%positive "default"%string).
  exists (Val (fun _ => d) (fun y => if String.eqb y "s" then Row [d] [] else top)),
    (RTerm [DConst d] (Some "r"%string) []), (RTerm [] (Some "s"%string) []), "r"%string, "s"%string.
  split; [|split; [|split; [|split]]]; simpl; auto; try (unfold rank; simpl; lia).
  apply row_le_refl.
Qed.
