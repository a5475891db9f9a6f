(** Cor. 5.5(failure): a failure that rests on no policy step. A derivation holds what a run knows without having chosen anything: inputs,
    what semantic rules conclude, bindings that they make, and of a placement the content alone. Other steps of the run, placements and
    choices among them, do not matter. *)
From Coq Require Import List String Lia Arith ZArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction Rules Equations Calculus Runs.
From Lozenge Require RankFacts.
Import ListNotations.
Open Scope nat_scope.
Open Scope list_scope.

(** A constraint, a binding, the content of a binding, and a fact about the lengths of a flank. *)
Inductive item := Says (c : constr) | Bound (b : bind) | Content (b : bind) | Fact (f : flank) (e : RankFacts.edge).
Definition item_holds (g : val) (i : item) : Prop :=
  match i with
  | Says c => sat Marked g c
  | Bound b => bound_holds g b
  | Content b => content_holds g b
  | Fact f e => RankFacts.satisfied [e] (fun x => Z.of_nat (List.length (flank_of f (vrow g x))))
  end.

(** The derivations from a set, with the names that are taken. A step uses items that are there. The contents of placements may be
    used in equalities only. *)
Inductive derivation (S : list constr) (V : list string) : list item -> list string -> Prop :=
| nothing : derivation S V [] V
| input D N c : derivation S V D N -> In c S -> derivation S V (Says c :: D) N
| turned_around D N c d : derivation S V D N -> In (Says c) D -> turned c d -> derivation S V (Says d :: D) N
| bound_in D N c b : derivation S V D N -> In (Says c) D -> In (Bound b) D -> derivation S V (Says (sub_c (one b) c) :: D) N
| content_in D N c b : derivation S V D N -> In (Says c) D -> In (Content b) D -> no_row_le c ->
    derivation S V (Says (sub_c (one b) c) :: D) N
| replaced_by D N B d E T : derivation S V D N -> (forall c, In c B -> In (Says c) D) -> In (Says d) D -> replaces B d E T ->
    derivation S V (map Says (E ++ T) ++ D) N
| binds_a_variable D N d E b M : derivation S V D N -> In (Says d) D -> binds_by Semantic d E b M -> (forall n, In n M -> ~ In n N) ->
    derivation S V (Bound b :: map Says E ++ D) (M ++ N)
| places_a_marker D N d E b M : derivation S V D N -> In (Says d) D -> binds_by Placement d E b M ->
    derivation S V (Content b :: map Says E ++ D) N
| states D N f d e : derivation S V D N -> In (Says d) D -> In e (stated f d) -> derivation S V (Fact f e :: D) N
| states_of_binding D N f b e : derivation S V D N -> In (Bound b) D -> In e (stated_by f b) -> derivation S V (Fact f e :: D) N.

(** The edges about a flank. *)
Definition edges (f : flank) (D : list item) : list RankFacts.edge :=
  flat_map (fun i => match i, f with Fact Leading e, Leading | Fact Trailing e, Trailing => [e] | _, _ => [] end) D.

Definition item_within (N : list string) (i : item) : Prop :=
  match i with
  | Says c => within N c
  | Bound b | Content b => names_in N b
  | Fact f e => In (RankFacts.from_ e) N /\ In (RankFacts.to_ e) N
  end.
Lemma names_more M N b : names_in N b -> names_in (M ++ N) b.
Proof.
  destruct b as [a t|x T]; simpl; intros [A B]; (split; [apply in_or_app; auto|]); revert B.
  - apply all_d_impl. intros; apply in_or_app; auto.
  - apply all_r_impl; intros; apply in_or_app; auto.
Qed.
Lemma item_more M N i : item_within N i -> item_within (M ++ N) i.
Proof.
  destruct i as [c|b|b|f e]; simpl; auto using within_more, names_more. intros []. split; apply in_or_app; auto.
Qed.
Lemma item_agree N g h i : agree N g h -> item_within N i -> item_holds g i -> item_holds h i.
Proof.
  intros A W H. destruct i as [c|b|b|f e]; simpl in *.
  - eapply agree_sat; eauto.
  - destruct A as [A B]. destruct b as [a t|x T]; destruct W as [X Y]; simpl in *.
    + rewrite <- (A a X), H. now apply (all_dval (fun n => In n N)).
    + rewrite <- (B x X), H. now apply (all_rval (fun n => In n N) (fun n => In n N)).
  - destruct A as [A B]. destruct b as [a t|x T]; destruct W as [X Y]; simpl in *.
    + rewrite <- (A a X), H. now apply (all_dval (fun n => In n N)).
    + unfold row_eq in *. rewrite <- (B x X), H. f_equal. now apply (all_rval (fun n => In n N) (fun n => In n N)).
  - destruct A as [_ B]. destruct W as [X Y]. intros e' [<-|[]]. rewrite <- (B _ X), <- (B _ Y). apply H. now left.
Qed.

Lemma one_within N b : names_in N b -> (forall n, In n N -> all_d (fun a => In a N) (sdim (one b) n) /\
  all_r (fun a => In a N) (fun x => In x N) (srow (one b) n)).
Proof.
  intros Nb n I. destruct b as [a t|x T]; destruct Nb as [X Y]; simpl.
  - split; [destruct (String.eqb n a); auto | now apply all_bare].
  - split; auto. destruct (String.eqb n x); auto. now apply all_bare.
Qed.

Lemma derivation_sound S V D N : Forall (within V) S -> derivation S V D N ->
  incl V N /\ Forall (item_within N) D /\
  forall g, sol Marked S g -> exists h, agree V g h /\ Forall (item_holds h) D.
Proof.
  intros W H. induction H as [|D N c H IH I|D N c d H IH I T|D N c b H IH I J|D N c b H IH I J R|D N B d E T H IH F I R
    |D N d E b M H IH I R Fr|D N d E b M H IH I R|D N f d e H IH I J|D N f b e H IH I J].
  - split; [apply incl_refl|]. split; [constructor|]. intros g _. exists g. split; [apply agree_refl | constructor].
  - destruct IH as (IV & WD & IH). split; auto. split.
    + constructor; auto. rewrite Forall_forall in W. specialize (W c I). revert W. apply all_c_impl; auto.
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. constructor; auto.
      apply (agree_sol V Marked g h) in Hg; auto. unfold sol in Hg. rewrite Forall_forall in Hg. exact (Hg c I).
  - destruct IH as (IV & WD & IH). split; auto. split.
    + constructor; auto. rewrite Forall_forall in WD. exact (all_turned _ _ _ _ T (WD _ I)).
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. constructor; auto.
      rewrite Forall_forall in K. apply (turned_sat _ _ _ _ T). exact (K _ I).
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD. split; auto. split.
    + constructor; [|now apply Forall_forall]. pose proof (one_within N b (WD _ J)) as O.
      eapply all_c_sub; [| |exact (WD _ I)]; intros n L; now apply O.
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. constructor; auto. rewrite Forall_forall in K.
      apply (fixes_c Marked h (one b) c); [apply fixes_one; exact (K _ J) | exact (K _ I)].
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD. split; auto. split.
    + constructor; [|now apply Forall_forall]. pose proof (one_within N b (WD _ J)) as O.
      eapply all_c_sub; [| |exact (WD _ I)]; intros n L; now apply O.
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. constructor; auto. rewrite Forall_forall in K.
      apply (content_c Marked h (one b) c); auto; [apply content_one; exact (K _ J) | exact (K _ I)].
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD. split; auto. split.
    + apply Forall_app. split; [|now apply Forall_forall]. apply Forall_map.
      eapply Forall_impl; [|apply (all_replaces (fun n => In n N) (fun n => In n N) _ _ _ _ R)].
      * intros c X. exact X.
      * apply Forall_forall. intros c X. exact (WD _ (F c X)).
      * exact (WD _ I).
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. rewrite Forall_forall in K.
      apply Forall_app. split; [|now apply Forall_forall]. apply Forall_map.
      apply (replaces_exact _ _ _ _ h R); [apply Forall_forall; intros c X; exact (K _ (F c X)) | exact (K _ I)].
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD.
    destruct (all_names_binds (fun n => In n (M ++ N)) (fun n => In n (M ++ N)) _ _ _ _ _ R) as [NE Nb].
    { exact (within_more M N d (WD _ I)). }
    { intros n X. split; apply in_or_app; auto. }
    split; [now apply incl_appr|]. split.
    + constructor; [exact Nb|]. apply Forall_app. split; [now apply Forall_map|]. apply Forall_forall. intros i X. now apply item_more, WD.
    + intros g Hg. destruct (IH g Hg) as (h & A & K). rewrite Forall_forall in K.
      destruct (binds_complete d E b M h R (K _ I)) as (k & A' & BH & SE).
      { generalize (WD _ I). simpl. apply all_c_impl; intros n X Y; now apply (Fr n Y). }
      assert (AN : agree N h k) by (split; intros n X; apply A'; intros Y; now apply (Fr n Y)).
      exists k. split; [eapply agree_trans; eauto|]. constructor; auto. apply Forall_app. split; [now apply Forall_map|].
      apply Forall_forall. intros i X. apply (item_agree N h k); auto.
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD.
    assert (MN : M = []) by (inversion R; reflexivity). subst M.
    destruct (all_names_binds (fun n => In n N) (fun n => In n N) _ _ _ _ _ R (WD _ I)) as [NE Nb]; [intros n []|].
    split; auto. split.
    + constructor; [exact Nb|]. apply Forall_app. split; [now apply Forall_map | now apply Forall_forall].
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. rewrite Forall_forall in K.
      assert (X : sat Marked h d) by exact (K _ I).
      apply (binds_content Marked h _ _ _ _ _ R) in X as [SE CH]; [|intros Q Q' ->; inversion R].
      constructor; auto. apply Forall_app. split; [now apply Forall_map | now apply Forall_forall].
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD. split; auto. split.
    + constructor; [|now apply Forall_forall]. exact (stated_names N f d e (WD _ I) J).
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. constructor; auto. rewrite Forall_forall in K.
      intros e' [<-|[]]. exact (stated_hold f d h (K _ I) e J).
  - destruct IH as (IV & WD & IH). rewrite Forall_forall in WD. split; auto. split.
    + constructor; [|now apply Forall_forall]. exact (stated_by_names N f b e (WD _ I) J).
    + intros g Hg. destruct (IH g Hg) as (h & A & K). exists h. split; auto. constructor; auto. rewrite Forall_forall in K.
      intros e' [<-|[]]. exact (stated_by_hold f b h (K _ I) e J).
Qed.

(** A semantic failure: a constraint that contradicts itself, or a cycle of positive weight among the facts about a flank. *)
Definition refutes (D : list item) : Prop :=
  (exists d, In (Says d) D /\ clash d) \/ exists f, RankFacts.positive_cycle (edges f D).

(** If it rests on no policy step, the set has no solution. *)
Theorem founded_failure_sound S V D N : Forall (within V) S -> derivation S V D N -> refutes D -> forall g, ~ sol Marked S g.
Proof.
  intros W H R g Hg. destruct (derivation_sound S V D N W H) as (_ & _ & X). destruct (X g Hg) as (h & _ & K).
  rewrite Forall_forall in K. destruct R as [(d & I & C)|(f & u & k & Wk & P)].
  - exact (clash_unsatisfied d h C (K _ I)).
  - assert (F : RankFacts.satisfied (edges f D) (fun x => Z.of_nat (List.length (flank_of f (vrow h x))))).
    { intros e I. apply in_flat_map in I as (i & I & J). specialize (K i I).
      destruct i as [c|b|b|[] e']; destruct f; simpl in J; try contradiction; destruct J as [<-|[]]; apply K; now left. }
    apply (RankFacts.walk_bound _ _ _ _ _ F) in Wk. lia.
Qed.
