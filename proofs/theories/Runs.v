(** §5: runs of the calculus, under an arbitrary strategy. Semantic steps keep the solutions, all steps refine them, and the configuration
    in which a run ends represents them. Inequalities between rows are in the marked order. *)
From Coq Require Import List String Lia Arith ZArith Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction Rules Equations Calculus.
From Lozenge Require RankFacts.
Import ListNotations.
Open Scope nat_scope.
Open Scope list_scope.
Notation length := List.length.

(** * Solutions of a configuration *)

(** A valuation that a substitution does not change: [γ = γ∘σ]. *)
Definition fixes (g : val) (s : subst) : Prop :=
  (forall a, vdim g a = dval g (sdim s a)) /\ (forall x, vrow g x = rval g (srow s x)).

(** A solution of a configuration satisfies what is in flight and what is stored, and the bindings. *)
Definition csol (C : config) (g : val) : Prop := sol Marked (flight C ++ store C) g /\ fixes g (binds C).

(** Two valuations that agree on these names. *)
Definition agree (N : list string) (g h : val) : Prop :=
  (forall a, In a N -> vdim g a = vdim h a) /\ (forall x, In x N -> vrow g x = vrow h x).

Lemma agree_refl N g : agree N g g.
Proof. split; auto. Qed.
Lemma agree_sat N o g h c : agree N g h -> within N c -> sat o g c -> sat o h c.
Proof. intros [A B] W. apply (sat_all o g h c). revert W. apply all_c_impl; auto. Qed.
Lemma agree_sol N o g h S : agree N g h -> Forall (within N) S -> sol o S g -> sol o S h.
Proof. unfold sol. rewrite !Forall_forall. intros A W H c I. eapply agree_sat; eauto. Qed.
Lemma agree_sym N g h : agree N g h -> agree N h g.
Proof. intros [A B]. split; intros; symmetry; auto. Qed.
Lemma agree_trans N M g h k : agree N g h -> agree M h k -> incl N M -> agree N g k.
Proof. intros [A B] [A' B'] I. split; intros n J; [rewrite A, A' | rewrite B, B']; auto. Qed.

Lemma all_dval (P : string -> Prop) g h t : (forall a, P a -> vdim g a = vdim h a) -> all_d P t -> dval g t = dval h t.
Proof. destruct t; simpl; auto. Qed.
Lemma all_map_dval (P : string -> Prop) g h l : (forall a, P a -> vdim g a = vdim h a) -> Forall (all_d P) l -> map (dval g) l = map (dval h) l.
Proof. intros H. induction 1; simpl; f_equal; eauto using all_dval. Qed.
Lemma all_rval (P Q : string -> Prop) g h R : (forall a, P a -> vdim g a = vdim h a) -> (forall x, Q x -> vrow g x = vrow h x) ->
  all_r P Q R -> rval g R = rval h R.
Proof.
  intros HP HQ (A & B & C). unfold rval. rewrite (all_map_dval P g h (rlead R)), (all_map_dval P g h (rtrail R)) by auto.
  destruct (rvar R) as [x|]; simpl; auto. now rewrite (HQ x (C x eq_refl)).
Qed.

Lemma fixes_d g s t : fixes g s -> dval g (sub_d s t) = dval g t.
Proof. intros [D _]. destruct t; simpl; auto. Qed.
Lemma fixes_r g s R : fixes g s -> rval g (sub_r s R) = rval g R.
Proof.
  intros [D X]. rewrite <- after_r. apply rval_agree; intros; simpl; auto.
Qed.
Lemma fixes_c o g s c : fixes g s -> (sat o g (sub_c s c) <-> sat o g c).
Proof. intros [D X]. symmetry. now apply sat_bound. Qed.
Lemma turned_sat o g c d : turned c d -> (sat o g c <-> sat o g d).
Proof. intros []; simpl; unfold row_eq; split; auto; congruence. Qed.

Lemma fixes_agree C g h : well_formed C -> agree (taken C) g h -> fixes g (binds C) -> fixes h (binds C).
Proof.
  intros W [A B] [D X]. destruct W as [_ _ _ _ _ Ot Va _]. split; intros n; destruct (in_dec string_dec n (taken C)) as [I|I].
  - rewrite <- (A n I), D. apply (all_dval (fun a => In a (taken C))); auto. now apply Va.
  - destruct (Ot n I) as [F _]. unfold free_d in F. now rewrite F.
  - rewrite <- (B n I), X. apply (all_rval (fun a => In a (taken C)) (fun x => In x (taken C))); auto. now apply Va.
  - destruct (Ot n I) as [_ F]. unfold free_r in F. now rewrite F, rval_bare.
Qed.

(** A further binding of a free variable: its equation comes to those of σ. *)
Lemma fixes_one g b : bound_holds g b -> fixes g (one b).
Proof.
  destruct b as [a t|x T]; simpl; intros H; split; simpl; intros n; auto.
  - destruct (String.eqb_spec n a) as [->|_]; auto.
  - now rewrite rval_bare.
  - destruct (String.eqb_spec n x) as [->|_]; auto. now rewrite rval_bare.
Qed.
Lemma fixes_compose g s b : bindable s b -> (fixes g (compose (one b) s) <-> fixes g s /\ bound_holds g b).
Proof.
  intros B.
  assert (K : bound_holds g b -> (fixes g (compose (one b) s) <-> fixes g s)).
  { intros H. apply fixes_one in H. unfold fixes; simpl.
    split; intros [D X]; split; intros n; rewrite ?(fixes_d g (one b)), ?(fixes_r g (one b)) in *; auto.
    - rewrite <- (fixes_d g (one b)); auto.
    - rewrite <- (fixes_r g (one b)); auto. }
  assert (L : fixes g (compose (one b) s) -> bound_holds g b).
  { intros [D X]. destruct b as [a t|x T]; destruct B as [F _]; simpl in *; unfold free_d, free_r in F.
    - specialize (D a). rewrite F in D. simpl in D. now rewrite String.eqb_refl in D.
    - specialize (X x). rewrite F, sub_bare in X. simpl in X. now rewrite String.eqb_refl in X. }
  split; [intros H; split; [apply K|]; auto | intros [H1 H2]; apply K; auto].
Qed.

(** * The rules keep the solutions *)

Lemma chain_below B g a b : chain B a b -> sol Marked B g -> dim_le (vdim g a) (vdim g b).
Proof.
  unfold sol. rewrite Forall_forall. intros H S. induction H as [a b I|a b c I _ IH].
  - exact (S _ I).
  - apply dim_le_trans with (vdim g b); auto. exact (S _ I).
Qed.
Lemma carried_hold B E g : carried B E -> sol Marked B g -> sol Marked E g.
Proof.
  unfold sol. rewrite !Forall_forall. intros H S c I. destruct (H c I) as (d & a & b & -> & J & K).
  apply (dim_le_trans d (vdim g a) (vdim g b)); [exact (S _ J) | exact (S _ K)].
Qed.
Lemma sol_app o S T g : sol o (S ++ T) g <-> sol o S g /\ sol o T g.
Proof. apply Forall_app. Qed.
Lemma sol_cons o c S g : sol o (c :: S) g <-> sat o g c /\ sol o S g.
Proof. apply Forall_cons_iff. Qed.
Lemma sol_nil o g : sol o [] g.
Proof. constructor. Qed.
Lemma sol_one o c g : sol o [c] g <-> sat o g c.
Proof. rewrite sol_cons. pose proof (sol_nil o g). tauto. Qed.

Lemma outer_axes_hold o g R R' k m : sol o (outer_axes R R' k m) g <->
  Forall (sat o g) (zip_eq (firstn k (rlead R)) (firstn k (rlead R'))) /\
  Forall (sat o g) (zip_eq (skipn (length (rtrail R) - m) (rtrail R)) (skipn (length (rtrail R') - m) (rtrail R'))).
Proof. apply Forall_app. Qed.

(** The rules that bind nothing: under the stored bounds, the constraint says what replaces it. *)
Theorem replaces_exact B c E S g : replaces B c E S -> sol Marked B g -> (sat Marked g c <-> sol Marked (E ++ S) g).
Proof.
  intros H SB. assert (N := sol_nil Marked g).
  destruct H as [t|t|t|d d' L|a d Ne|a|d a E Ne No Ca|d a I|d d' a Ne I|a b E Ne Ca|a b Ne Ch|R R' Ex Ey L|R R' x Ex Ey L T
    |R R' x y Ex Ey L T O|R R' x Ex L T|R R' Ex L T];
    rewrite ?app_nil_r, ?sol_one.
  - split; auto. intros _. apply de_refl.
  - split; auto. intros _. apply di_top.
  - split; auto. intros _. apply di_refl.
  - split; auto.
  - now apply di_pin.
  - apply di_pin_top.
  - rewrite sol_app, sol_one. split; [|tauto]. intros K. split; auto. apply (carried_hold _ _ _ Ca). now apply sol_cons.
  - split; auto. intros _. unfold sol in SB. rewrite Forall_forall in SB. auto.
  - rewrite <- (di_cap Marked g d d' (DVar a) Ne). unfold sol in SB. rewrite Forall_forall in SB. specialize (SB _ I). tauto.
  - rewrite sol_app, sol_one. split; [|tauto]. intros K. split; auto. apply (carried_hold _ _ _ Ca). now apply sol_cons.
  - rewrite <- di_antisym. apply (chain_below _ _ _ _ Ch) in SB. simpl. tauto.
  - rewrite (re_closed Marked g R R' Ex Ey). unfold sol. tauto.
  - rewrite (re_same Marked g R R' x Ex Ey L T). rewrite sol_app. unfold sol. tauto.
  - rewrite sol_app, sol_one, outer_axes_hold.
    rewrite (re_aligned Marked g R R' (length (rlead R)) (length (rtrail R'))) by lia. tauto.
  - rewrite sol_app, (ri_cap g R R' L T), Ex. unfold cap. destruct (rterm_eq_dec _ _) as [E1|_].
    + rewrite E1. unfold sol at 1. split; [tauto|]. intros [K _]. split; auto. simpl. apply row_le_refl.
    + rewrite sol_one. unfold sol. tauto.
  - rewrite (ri_closed_operand g R R' Ex L T). unfold sol. tauto.
Qed.

(** The rules with a binding, but for the deficit: the content of the binding is entailed. *)
Lemma outer_axes_closed o g R F : sol o (outer_axes R (RTerm F None F) (length (rlead R)) (length (rtrail R))) g <->
  Forall (sat o g) (zip_eq (rlead R) (firstn (length (rlead R)) F)) /\
  Forall (sat o g) (zip_eq (rtrail R) (skipn (length F - length (rtrail R)) F)).
Proof. rewrite outer_axes_hold. simpl rlead; simpl rtrail. now rewrite firstn_all, Nat.sub_diag. Qed.

Lemma binds_content o g k d E b M : binds_by k d E b M -> (forall R R', d <> RLe R R') ->
  (sat o g d <-> sol o E g /\ content_holds g b).
Proof.
  intros H N. destruct H as [a t Ne|R R' x Ex Ec L|R R' x m m' Ex Ec L Em|R R' x y Ex Ey Ne L T|R R' x x' als bes Ex La Lb Pos ND].
  - simpl. pose proof (sol_nil o g). tauto.
  - rewrite outer_axes_closed, (re_content o g R R' x Ex Ec) by lia. simpl.
    assert (Em : middle R R' = []) by (unfold middle; rewrite L, Nat.sub_diag; reflexivity).
    rewrite Em. unfold row_eq, rval, flat; simpl. tauto.
  - rewrite outer_axes_closed, (re_content o g R R' x Ex Ec) by lia. rewrite <- Em, map_app. simpl.
    unfold row_eq, rval, flat; simpl. rewrite app_nil_r. tauto.
  - rewrite outer_axes_hold, (re_nested o g R R' x Ex L T). rewrite firstn_all, Nat.sub_diag. simpl. rewrite rval_bare. tauto.
  - exfalso. now apply (N R R').
Qed.
Lemma bound_content g b : bound_holds g b -> content_holds g b.
Proof. destruct b; simpl; auto. now intros ->. Qed.

(** A binding that holds, with what the rule leaves, gives the constraint back, whatever the kind of the step. *)
Lemma binds_sound k d E b M g : binds_by k d E b M -> sol Marked E g -> bound_holds g b -> sat Marked g d.
Proof.
  intros H SE SB. destruct d as [t u|t u|R R'|R R'].
  1-3: apply (binds_content Marked g _ _ _ _ _ H); [discriminate|]; auto using bound_content.
  inversion H; subst. now apply sol_one in SE.
Qed.

(** Semantic rules lose no solution. Those of the deficit extend to the fresh variables. *)
Lemma binds_complete d E b M g : binds_by Semantic d E b M -> sat Marked g d ->
  all_c (fun n => ~ In n M) (fun n => ~ In n M) d ->
  exists h, (forall n, ~ In n M -> vdim g n = vdim h n /\ vrow g n = vrow h n) /\ bound_holds h b /\ sol Marked E h.
Proof.
  intros H S F. assert (H' := H).
  inversion H as [a t Ne|R R' x Ex Ec L| | |R R' x x' als bes Ex La Lb Pos ND]; subst.
  - exists g. split; auto. split; [exact S | constructor].
  - apply (binds_content Marked g _ _ _ _ _ H') in S as [S1 S2]; [|discriminate]. exists g. split; auto. split; auto.
    simpl in *. unfold row_eq, rval, flat in S2; simpl in S2. apply app_eq_nil in S2 as [S2 S3].
    destruct (vrow g x) as [l r]; simpl in *. unfold rval; simpl. congruence.
  - destruct (ri_deficit_extends g [RLe R R'] R R' x als x' bes) as (h & A & Bx & K & _); simpl; auto.
    + now apply sol_one.
    + intros c [<-|[]]. apply all_c_names in F as [F G]. split; [intros I; apply (G x' I); now left|].
      intros a I J. apply (F a J). now right.
    + exists h. destruct A as [A A']. split; [|split; auto]. intros n N. split; [apply A | apply A']; intros I; apply N; [now right|].
      destruct I as [->|[]]. now left.
Qed.

(** The facts are entailed. *)
Lemma stated_hold f c g : sat Marked g c -> RankFacts.satisfied (stated f c) (fun x => Z.of_nat (length (flank_of f (vrow g x)))).
Proof.
  intros S e I. destruct c as [a b|a b|R R'|R R']; simpl in I; try contradiction.
  destruct S as (L & T & _). unfold rval in L, T; simpl in L, T. rewrite !app_length, !map_length in L, T.
  destruct (rvar R) as [x|]; [|contradiction]. destruct (rvar R') as [y|]; [|contradiction].
  destruct (Nat.leb_spec (length (axes_of f R)) (length (axes_of f R'))) as [Le|]; [|contradiction]. destruct I as [<-|[]].
  unfold RankFacts.from_, RankFacts.to_, RankFacts.weight; simpl in *. destruct f; simpl in *; lia.
Qed.
Lemma stated_by_hold f b g : bound_holds g b ->
  RankFacts.satisfied (stated_by f b) (fun x => Z.of_nat (length (flank_of f (vrow g x)))).
Proof.
  intros S e I. destruct b as [a t|x T]; simpl in I; [contradiction|].
  simpl in S. unfold rval in S. destruct (rvar T) as [y|]; [|contradiction]. destruct I as [<-|[]].
  unfold RankFacts.from_, RankFacts.to_, RankFacts.weight; simpl. rewrite S.
  destruct f; simpl; rewrite app_length, map_length; lia.
Qed.
Lemma facts_app g G G' : facts_hold g G -> facts_hold g G' -> facts_hold g (fun f => G f ++ G' f).
Proof. intros H H' f e I. apply in_app_or in I as [I|I]; [now apply H | now apply H']. Qed.
Lemma facts_agree C g h : well_formed C -> agree (taken C) g h -> facts_hold g (facts C) -> facts_hold h (facts C).
Proof.
  intros W [_ B] H f e I. destruct W as [_ _ _ _ _ _ _ Fa]. destruct (Fa f e I) as [X Y].
  rewrite <- (B _ X), <- (B _ Y). now apply H.
Qed.

(** * Lemma 5.1: single steps *)

(** The binding of a step is one of a free variable. *)
Lemma rule_binds_free k l c r s B G N d E b M : well_formed (Config (l ++ c :: r) s B G N) -> turned (sub_c s c) d ->
  binds_by k d E b M -> (forall n, In n M -> ~ In n N) -> bindable s b /\ within N d.
Proof.
  intros [I Fo Fb At Na Ot Va Fa] T H Fr; cbn [flight binds store facts taken] in *.
  rewrite !Forall_app, Forall_cons_iff in Na. destruct Na as [(NL & NC & NR) NB].
  assert (D : within N d) by (eapply read_within; eauto). split; auto.
  eapply (rule_bindable N); eauto; [now apply (read_free s c)|]. intros n J. destruct (Ot n (Fr n J)). auto.
Qed.
Lemma sol_parts o B b g : sol o B g <-> sol o (woken b B) g /\ sol o (asleep b B) g.
Proof.
  unfold sol. rewrite !Forall_forall. split.
  - intros H. split; intros c I; apply H, (woken_or_asleep b); auto.
  - intros [H K] c I. apply (woken_or_asleep b) in I as [I|I]; auto.
Qed.

(** Each step refines: a solution of the new configuration is one of the old. *)
Theorem step_refines k C C' g : step k C C' -> well_formed C -> csol C' g -> csol C g.
Proof.
  intros [l c r s B G N d E S T H|k' l c r s B G N d E b M T H Fr|l s B G N b M Bi Nb Fr] W [SS F];
    cbn [flight binds store facts taken] in *; unfold csol; cbn [flight binds store];
    repeat rewrite sol_app in *; rewrite ?sol_cons.
  - destruct SS as [(SL & SR & SE) (SS & SB)]. split; auto. split; auto. split; auto. split; auto.
    apply (fixes_c Marked g s c F). apply (turned_sat _ _ _ _ T), (replaces_exact _ _ _ _ _ H SB). now apply sol_app.
  - destruct SS as [(SL & SR & SE & SW) SA]. destruct (rule_binds_free _ _ _ _ _ _ _ _ _ _ _ _ W T H Fr) as [Bi _].
    apply (fixes_compose g s b Bi) in F as [F BH]. split; auto. split; [split; auto; split; auto|].
    + apply (fixes_c Marked g s c F). apply (turned_sat _ _ _ _ T). eapply binds_sound; eauto.
    + apply (sol_parts _ _ b). auto.
  - destruct SS as [(SL & SW) SA]. apply (fixes_compose g s b Bi) in F as [F BH]. split; auto. split; auto.
    apply (sol_parts _ _ b). auto.
Qed.

(** A semantic step loses no solution: each extends to the names that the step takes, and the facts hold of it. *)
Theorem semantic_step_keeps C C' g : step Semantic C C' -> well_formed C -> csol C g -> facts_hold g (facts C) ->
  exists h, agree (taken C) g h /\ csol C' h /\ facts_hold h (facts C').
Proof.
  intros St W [SS F] FH. inversion St as [l c r s B G N d E S T H|k' l c r s B G N d E b M T H Fr|]; subst;
    cbn [flight binds store facts taken] in *; repeat rewrite sol_app in SS; rewrite sol_cons in SS;
    destruct SS as [(SL & SC & SR) SB];
    assert (SD : sat Marked g d) by (apply (turned_sat _ _ _ _ T), (fixes_c Marked g s c F), SC).
  - apply (replaces_exact _ _ _ _ _ H SB) in SD as SE. apply sol_app in SE as [SE SS].
    exists g. split; [apply agree_refl|]. split.
    + split; auto. cbn [flight store]. repeat rewrite sol_app. auto.
    + apply facts_app; auto. intros f. now apply stated_hold.
  - destruct (rule_binds_free _ _ _ _ _ _ _ _ _ _ _ _ W T H Fr) as [Bi D].
    destruct (binds_complete d E b M g H SD) as (h & A & BH & SE).
    { revert D. apply all_c_impl; intros n I J; now apply (Fr n J). }
    assert (AN : agree N g h) by (split; intros n I; apply A; intros J; now apply (Fr n J)).
    assert (W' := W). destruct W' as [_ _ _ _ Na _ _ _]; cbn [flight store taken] in Na.
    rewrite !Forall_app, Forall_cons_iff in Na. destruct Na as [(NL & NC & NR) NB].
    exists h. split; auto. split.
    + split; cbn [flight binds store].
      * apply (agree_sol N _ g h) in SB; auto. apply (sol_parts _ _ b) in SB as [SW SA]. repeat rewrite sol_app.
        eauto 10 using agree_sol.
      * apply fixes_compose; auto. split; auto. exact (fixes_agree _ g h W AN F).
    + apply facts_app; [intros f; apply stated_hold; eapply agree_sat; eauto|].
      apply facts_app; [intros f; now apply stated_by_hold|]. exact (facts_agree _ g h W AN FH).
Qed.

Lemma clash_unsatisfied d g : clash d -> ~ sat Marked g d.
Proof.
  intros []; auto.
  - intros S. apply (re_closed Marked) in S; auto. tauto.
  - now apply re_overflow.
  - eapply re_occurs; eauto.
  - now apply ri_short.
Qed.

(** A semantic failure is one of a configuration without a solution of which the facts hold. *)
Theorem failure_has_no_solution C g : fails C -> csol C g -> facts_hold g (facts C) -> False.
Proof.
  intros [C' c d I T Cl|C' f P] [S F] FH.
  - apply (clash_unsatisfied d g Cl). apply (turned_sat _ _ _ _ T), (fixes_c Marked g _ c F).
    apply sol_app in S as [S _]. unfold sol in S. rewrite Forall_forall in S. auto.
  - destruct P as (u & k & Wk & Pos). specialize (FH f). apply (RankFacts.walk_bound _ _ _ _ _ FH) in Wk. lia.
Qed.

(** * Runs *)

Lemma agree_names k C C' : step k C C' -> incl (taken C) (taken C').
Proof. intros []; simpl; intros n I; rewrite ?in_app_iff; auto. Qed.
Lemma run_names allowed C C' : run allowed C C' -> incl (taken C) (taken C').
Proof. induction 1 as [C|k C C' C'' A St _ IH]; [apply incl_refl|]. eapply incl_tran; eauto using agree_names. Qed.

Lemma run_refines allowed C C' g : run allowed C C' -> well_formed C -> csol C' g -> csol C g.
Proof. induction 1 as [C|k C C' C'' A St _ IH]; auto. intros W K. eauto using step_refines, step_well_formed. Qed.
Lemma run_keeps C C' g : run semantic C C' -> well_formed C -> csol C g -> facts_hold g (facts C) ->
  exists h, agree (taken C) g h /\ csol C' h /\ facts_hold h (facts C').
Proof.
  intros R. revert g. induction R as [C|k C C' C'' A St _ IH]; intros g W K F.
  - exists g. split; [apply agree_refl | auto].
  - hnf in A. subst k. destruct (semantic_step_keeps C C' g St W K F) as (h & A & K' & F').
    destruct (IH h) as (i & A' & K'' & F''); auto; [now apply (step_well_formed Semantic C)|].
    exists i. split; auto. eapply agree_trans; eauto using agree_names.
Qed.

Lemma start_csol S V g : csol (start S V) g <-> sol Marked S g.
Proof.
  unfold csol, start; cbn [flight binds store]. rewrite app_nil_r. split; [tauto|]. intros H. split; auto.
  split; intros n; simpl; auto. now rewrite rval_bare.
Qed.
Lemma no_facts g S V : facts_hold g (facts (start S V)).
Proof. intros f e []. Qed.

(** Lemma 5.1(semantic) repaired: a run of semantic steps keeps the solutions exactly. Every solution of the set extends to the fresh
    names of the run and is then one of the final configuration, and every solution of that is one of the set. *)
Theorem semantic_run_exact S V C g : Forall (within V) S -> run semantic (start S V) C ->
  (sol Marked S g <-> exists h, agree V g h /\ csol C h).
Proof.
  intros W R. assert (WF := start_well_formed S V W). split.
  - intros H. apply (start_csol S V) in H. destruct (run_keeps _ _ _ R WF H (no_facts g S V)) as (h & A & K & _). eauto.
  - intros (h & A & K). apply (run_refines _ _ _ _ R WF), start_csol in K. apply agree_sym in A. eapply agree_sol; eauto.
Qed.
(** A failure after semantic steps has no solution upstream. *)
Theorem semantic_failure_sound S V C : Forall (within V) S -> run semantic (start S V) C -> fails C -> forall g, ~ sol Marked S g.
Proof.
  intros W R Fa g H. apply (start_csol S V) in H.
  destruct (run_keeps _ _ _ R (start_well_formed S V W) H (no_facts g S V)) as (h & _ & K & F).
  eapply failure_has_no_solution; eauto.
Qed.
(** Whatever steps a run takes, it refines. *)
Theorem run_refines_solutions S V C g : Forall (within V) S -> run any_kind (start S V) C -> csol C g -> sol Marked S g.
Proof. intros W R K. now apply (run_refines _ _ _ _ R (start_well_formed S V W)), start_csol in K. Qed.

(** * Prop. 5.4: the greatest solution of a final configuration *)

(** The valuation that puts every variable at its top, and [γ↑], which gives bound variables their values under σ. *)
Definition tops : val := Val (fun _ => Unit) (fun _ => top).
Definition upward (C : config) : val := after tops (binds C).

Lemma upward_fixes C : well_formed C -> fixes (upward C) (binds C).
Proof.
  intros [I _ _ _ _ _ _ _]. destruct (idempotent_twice (binds C) I) as [D X]. unfold upward. split.
  - intros a. rewrite after_d. exact (eq_sym (f_equal (dval tops) (D (DVar a)))).
  - intros x. rewrite after_r. specialize (X (bare x)). rewrite sub_bare in X. now rewrite X.
Qed.
Lemma upward_bounds C : well_formed C -> sol Marked (store C) (upward C).
Proof.
  intros [_ Fo Fr _ _ _ _ _]. unfold sol. rewrite Forall_forall in *. intros c I. specialize (Fo c I). specialize (Fr c I).
  destruct c as [a b|a [n|d]|R R'|R R']; simpl in Fo; try contradiction.
  - destruct Fr as [_ F]. simpl in F. unfold free_d in F. simpl. rewrite F. simpl. apply dim_le_top.
  - destruct Fo as [x ->]. destruct Fr as [_ (_ & _ & F)]. specialize (F x eq_refl). unfold free_r in F.
    simpl. rewrite rval_bare. simpl. rewrite F, rval_bare. apply row_le_top.
Qed.

(** (i): it satisfies the stored bounds and the equations of σ. *)
Theorem upward_satisfies S V C : Forall (within V) S -> run any_kind (start S V) C ->
  sol Marked (store C) (upward C) /\
  (forall a, sat Marked (upward C) (DEq (DVar a) (sdim (binds C) a))) /\
  (forall x, sat Marked (upward C) (REq (bare x) (srow (binds C) x))).
Proof.
  intros W R. assert (WF := run_well_formed _ _ _ R (start_well_formed S V W)). split; [now apply upward_bounds|].
  destruct (upward_fixes C WF) as [D X]. split; intros n; simpl; [apply D|]. rewrite rval_bare, <- X. reflexivity.
Qed.

(** Below a valuation, variable by variable. *)
Definition val_le (g h : val) : Prop := (forall a, dim_le (vdim g a) (vdim h a)) /\ (forall x, row_le (vrow g x) (vrow h x)).

Lemma below_tops_d g t : dim_le (dval g t) (dval tops t).
Proof. destruct t; simpl; [apply dim_le_top | apply dim_le_refl]. Qed.
Lemma below_tops_flank g l X : outer (map (dval g) l ++ X) (map (dval tops) l).
Proof. induction l; simpl; constructor; auto using below_tops_d. Qed.
Lemma below_tops_r g R : row_le (rval g R) (rval tops R).
Proof.
  apply row_le_flanks. unfold rval; simpl. assert (E : mid tops (rvar R) = top) by now destruct (rvar R).
  rewrite E. simpl. rewrite app_nil_r, !rev_app_distr, <- !map_rev. auto using below_tops_flank.
Qed.
(** (ii) repaired: it is the greatest of the valuations that σ does not change. *)
Theorem upward_greatest C g : fixes g (binds C) -> val_le g (upward C).
Proof. intros [D X]. split; intros n; [rewrite D; apply below_tops_d | rewrite X; apply below_tops_r]. Qed.

(** * Cor. 5.5 *)

(** Success is sound: nothing is in flight, so γ↑ is a solution. *)
Theorem success_sound S V C : Forall (within V) S -> run any_kind (start S V) C -> flight C = [] -> sol Marked S (upward C).
Proof.
  intros W R E. apply (run_refines_solutions S V C); auto.
  assert (WF := run_well_formed _ _ _ R (start_well_formed S V W)). split; [rewrite E; simpl|]; auto using upward_bounds, upward_fixes.
Qed.

(** * Runs that place markers, on sets without an inequality between rows *)

Definition no_row_le (c : constr) : Prop := match c with RLe _ _ => False | _ => True end.
(** A valuation that σ does not change up to the places of markers. *)
Definition fixes_content (g : val) (s : subst) : Prop :=
  (forall a, vdim g a = dval g (sdim s a)) /\ (forall x, row_eq (vrow g x) (rval g (srow s x))).
Definition csol_content (C : config) (g : val) : Prop := sol Marked (flight C ++ store C) g /\ fixes_content g (binds C).

Lemma content_d g s t : fixes_content g s -> dval g (sub_d s t) = dval g t.
Proof. intros [D _]. destruct t; simpl; auto. Qed.
Lemma content_map g s l : fixes_content g s -> map (dval g) (map (sub_d s) l) = map (dval g) l.
Proof. intros F. rewrite map_map. apply map_ext. intros; now apply content_d. Qed.
Lemma content_r g s R : fixes_content g s -> row_eq (rval g (sub_r s R)) (rval g R).
Proof.
  intros F. destruct R as [l [x|] r]; unfold row_eq; rewrite !flat_open; unfold sub_r, splice; simpl.
  - assert (X := proj2 F x). unfold row_eq in X. rewrite flat_open in X. rewrite X, !map_app, !content_map, <- !app_assoc by auto.
    reflexivity.
  - now rewrite !content_map.
Qed.
Lemma content_c o g s c : fixes_content g s -> no_row_le c -> (sat o g (sub_c s c) <-> sat o g c).
Proof.
  intros F N. destruct c as [a b|a b|R R'|R R']; simpl; try contradiction; rewrite ?(content_d g s) by auto; try tauto.
  unfold row_eq. rewrite (content_r g s R F), (content_r g s R' F). tauto.
Qed.

Lemma content_one g b : content_holds g b -> fixes_content g (one b).
Proof.
  destruct b as [a t|x T]; simpl; intros H; split; simpl; intros n; auto.
  - destruct (String.eqb_spec n a) as [->|_]; auto.
  - now rewrite rval_bare.
  - destruct (String.eqb_spec n x) as [->|_]; auto. now rewrite rval_bare.
Qed.
Lemma content_compose g s b : bindable s b -> (fixes_content g (compose (one b) s) <-> fixes_content g s /\ content_holds g b).
Proof.
  intros B.
  assert (K : content_holds g b -> (fixes_content g (compose (one b) s) <-> fixes_content g s)).
  { intros H. apply content_one in H. unfold fixes_content; simpl.
    assert (XR : forall R, row_eq (rval g (sub_r (one b) R)) (rval g R)) by (intros; now apply content_r).
    split; intros [D X]; split; intros n.
    - rewrite <- (content_d g (one b)); auto.
    - unfold row_eq in *. now rewrite <- XR.
    - rewrite (content_d g (one b)); auto.
    - unfold row_eq in *. now rewrite XR. }
  assert (L : fixes_content g (compose (one b) s) -> content_holds g b).
  { intros [D X]. destruct b as [a t|x T]; destruct B as [F _]; simpl in *; unfold free_d, free_r in F.
    - specialize (D a). rewrite F in D. simpl in D. now rewrite String.eqb_refl in D.
    - specialize (X x). rewrite F, sub_bare in X. simpl in X. now rewrite String.eqb_refl in X. }
  split; [intros H; split; [apply K|]; auto | intros [H1 H2]; apply K; auto].
Qed.

Lemma turned_no_row_le s c d : turned (sub_c s c) d -> no_row_le c -> no_row_le d.
Proof. intros T. destruct c; simpl in *; inversion T; subst; simpl; auto. Qed.
Lemma zip_no_row_le l l' : Forall no_row_le (zip_eq l l').
Proof. apply Forall_map, Forall_forall. now intros []. Qed.
Lemma axes_no_row_le R R' k m : Forall no_row_le (outer_axes R R' k m).
Proof. apply Forall_app. split; apply zip_no_row_le. Qed.
Lemma carried_no_row_le B E : carried B E -> Forall no_row_le E.
Proof. intros H. apply Forall_forall. intros c I. destruct (H c I) as (d & a & b & -> & _). exact Logic.I. Qed.
Lemma replaces_no_row_le B d E S : replaces B d E S -> no_row_le d -> Forall no_row_le (E ++ S).
Proof.
  intros H N. destruct H; simpl in N; try contradiction; rewrite ?app_nil_r; repeat (apply Forall_app; split);
    eauto using zip_no_row_le, axes_no_row_le, carried_no_row_le; repeat constructor; auto using zip_no_row_le.
Qed.
Lemma binds_no_row_le k d E b M : binds_by k d E b M -> no_row_le d -> Forall no_row_le E.
Proof. intros [] N; simpl in N; try contradiction; auto using axes_no_row_le. Qed.

(** A semantic step, or one that places a marker, keeps the solutions up to the places of markers. *)
Lemma placing_step_exact k C C' g : step k C C' -> k <> Choice -> well_formed C -> Forall no_row_le (flight C ++ store C) ->
  Forall no_row_le (flight C' ++ store C') /\ (csol_content C g <-> csol_content C' g).
Proof.
  intros [l c r s B G N d E S T H|k' l c r s B G N d E b M T H Fr|l s B G N b M Bi Nb Fr] NC W NR; [| |now exfalso];
    cbn [flight binds store facts taken] in *; unfold csol_content; cbn [flight binds store];
    assert (NR' := NR); rewrite !Forall_app, Forall_cons_iff in NR'; destruct NR' as [(Nl & Nc & Nr) NB];
    assert (Nd := turned_no_row_le _ _ _ T Nc);
    assert (SC : fixes_content g s -> (sat Marked g c <-> sat Marked g d))
      by (intros F; rewrite <- (content_c Marked g s c F Nc); now apply turned_sat).
  - assert (NE := replaces_no_row_le _ _ _ _ H Nd). apply Forall_app in NE as [NE NS]. split; [rewrite !Forall_app; auto|].
    repeat rewrite sol_app. rewrite sol_cons. assert (X := replaces_exact _ _ _ _ g H). rewrite sol_app in X. tauto.
  - destruct (rule_binds_free _ _ _ _ _ _ _ _ _ _ _ _ W T H Fr) as [Bi _]. assert (NE := binds_no_row_le _ _ _ _ _ H Nd). split.
    + rewrite !Forall_app. repeat split; auto; rewrite Forall_forall in *; intros e I; apply NB, (woken_or_asleep b); auto.
    + repeat rewrite sol_app. rewrite sol_cons, (content_compose g s b Bi), (sol_parts Marked B b).
      assert (X := binds_content Marked g _ _ _ _ _ H). assert (D : forall R R', d <> RLe R R') by (now intros R R' ->).
      specialize (X D). tauto.
Qed.
Lemma placing_run_exact C C' g : run placing C C' -> well_formed C -> Forall no_row_le (flight C ++ store C) ->
  Forall no_row_le (flight C' ++ store C') /\ (csol_content C g <-> csol_content C' g).
Proof.
  induction 1 as [C|k C C' C'' A St _ IH]; intros W N; [tauto|].
  destruct (placing_step_exact k C C' g St A W N) as [N' X]. destruct IH as [N'' Y]; eauto using step_well_formed. tauto.
Qed.
Lemma start_csol_content S V g : csol_content (start S V) g <-> sol Marked S g.
Proof.
  unfold csol_content, start; cbn [flight binds store]. rewrite app_nil_r. split; [tauto|]. intros H. split; auto.
  split; intros n; simpl; auto. now rewrite rval_bare.
Qed.

(** * Thm. 5.6: the final configuration represents the solutions *)

(** (1) repaired, for runs of semantic steps … *)
Theorem represents S V C g : Forall (within V) S -> run semantic (start S V) C -> flight C = [] ->
  (sol Marked S g <-> exists h, agree V g h /\ fixes h (binds C) /\ sol Marked (store C) h).
Proof.
  intros W R E. rewrite (semantic_run_exact S V C g W R). unfold csol. rewrite E. simpl.
  split; intros (h & A & K); exists h; tauto.
Qed.
(** … and, up to the places of markers, for runs that place markers on sets without an inequality between rows. *)
Theorem represents_content S V C g : Forall (within V) S -> Forall no_row_le S -> run placing (start S V) C -> flight C = [] ->
  (sol Marked S g <-> fixes_content g (binds C) /\ sol Marked (store C) g).
Proof.
  intros W N R E. destruct (placing_run_exact _ _ g R (start_well_formed S V W)) as [_ X].
  { cbn. now rewrite app_nil_r. }
  rewrite <- (start_csol_content S V g), X. unfold csol_content. rewrite E. simpl. tauto.
Qed.
(** (2) repaired: each binding is conservative … *)
Theorem bindings_conservative S V C g : Forall (within V) S -> run semantic (start S V) C -> sol Marked S g ->
  exists h, agree V g h /\ sol Marked S h /\
    (forall a, vdim h a = dval h (sdim (binds C) a)) /\ (forall x, vrow h x = rval h (srow (binds C) x)).
Proof.
  intros W R H. apply (semantic_run_exact S V C g W R) in H as (h & A & K). exists h. split; auto.
  split; [|apply K]. apply (run_refines _ _ _ _ R (start_well_formed S V W)), start_csol in K. exact K.
Qed.
Theorem bindings_conservative_content S V C g : Forall (within V) S -> Forall no_row_le S -> run placing (start S V) C ->
  sol Marked S g -> (forall a, vdim g a = dval g (sdim (binds C) a)) /\ (forall x, row_eq (vrow g x) (rval g (srow (binds C) x))).
Proof.
  intros W N R H. destruct (placing_run_exact _ _ g R (start_well_formed S V W)) as [_ X].
  { cbn. now rewrite app_nil_r. }
  apply (start_csol_content S V), X in H. apply H.
Qed.
(** (3) repaired: on the variables of the set each solution is an instance of σ, … *)
Theorem solutions_are_instances S V C g : Forall (within V) S -> run semantic (start S V) C -> sol Marked S g ->
  exists h, (forall a, In a V -> vdim g a = dval h (sdim (binds C) a)) /\ (forall x, In x V -> vrow g x = rval h (srow (binds C) x)).
Proof.
  intros W R H. destruct (bindings_conservative S V C g W R H) as (h & [A B] & _ & D & X).
  exists h. split; intros n I; [rewrite A | rewrite B]; auto.
Qed.
(** … up to the places of markers where the run places markers. *)
Theorem solutions_are_instances_content S V C g : Forall (within V) S -> Forall no_row_le S -> run placing (start S V) C ->
  sol Marked S g -> exists h, (forall a, In a V -> vdim g a = dval h (sdim (binds C) a)) /\
    (forall x, In x V -> row_eq (vrow g x) (rval h (srow (binds C) x))).
Proof.
  intros W N R H. destruct (bindings_conservative_content S V C g W N R H) as [D X]. exists g. split; intros n _; auto.
Qed.

(** * Cor. 5.8 repaired: with an empty store σ is a principal model *)
Theorem principal_model S V C : Forall (within V) S -> run semantic (start S V) C -> flight C = [] -> store C = [] ->
  models Marked (binds C) S /\ forall g, sol Marked S g -> exists h,
    (forall a, In a V -> vdim g a = dval h (sdim (binds C) a)) /\ (forall x, In x V -> vrow g x = rval h (srow (binds C) x)).
Proof.
  intros W R E B. split; [|intros g; now apply solutions_are_instances].
  intros g. assert (WF := run_well_formed _ _ _ R (start_well_formed S V W)).
  apply (start_csol S V), (run_refines _ _ _ _ R (start_well_formed S V W)). split; [rewrite E, B; constructor|].
  destruct WF as [I _ _ _ _ _ _ _]. destruct (idempotent_twice (binds C) I) as [D X]. split.
  - intros a. rewrite after_d. exact (eq_sym (f_equal (dval g) (D (DVar a)))).
  - intros x. rewrite after_r. specialize (X (bare x)). rewrite sub_bare in X. now rewrite X.
Qed.

(** * Cor. 5.5 repaired: where no inequality between rows discriminates a placement, a satisfiable set does not fail *)

Lemma placing_facts C C' : run placing C C' -> well_formed C -> Forall no_row_le (flight C ++ store C) ->
  (forall g, fixes g (binds C) -> facts_hold g (facts C)) -> forall g, fixes g (binds C') -> facts_hold g (facts C').
Proof.
  induction 1 as [C|k C C' C'' A St _ IH]; intros W N H; auto.
  destruct (placing_step_exact k C C' tops St A W N) as [N' _].
  apply IH; eauto using step_well_formed. clear IH. intros g F.
  destruct St as [l c r s B G M d E S T R|k l c r s B G M d E b P T R Fr|l s B G M b P Bi Nb Fr]; [| |now exfalso];
    cbn [flight binds store facts taken] in *; rewrite !Forall_app, Forall_cons_iff in N; destruct N as [(_ & Nc & _) _];
    assert (Nd := turned_no_row_le _ _ _ T Nc); assert (St : forall f, stated f d = []) by (now destruct d).
  - intros f. rewrite St. now apply H.
  - destruct (rule_binds_free _ _ _ _ _ _ _ _ _ _ _ _ W T R Fr) as [Bi _]. apply (fixes_compose g s b Bi) in F as [F BH].
    intros f. rewrite St. simpl. intros e I. apply in_app_or in I as [I|I]; [now apply (stated_by_hold f b g BH) | now apply (H g F f)].
Qed.
Theorem placing_run_does_not_fail S V C g : Forall (within V) S -> Forall no_row_le S -> run placing (start S V) C ->
  sol Marked S g -> ~ fails C.
Proof.
  intros W N R H Fa. assert (WF := start_well_formed S V W).
  assert (N' : Forall no_row_le (flight (start S V) ++ store (start S V))) by (cbn; now rewrite app_nil_r).
  destruct (placing_run_exact _ _ g R WF N') as [NC X]. apply (start_csol_content S V), X in H as [SS F]. clear X.
  destruct Fa as [C c d I T Cl|C f P].
  - apply (clash_unsatisfied d g Cl). apply (turned_sat _ _ _ _ T). apply content_c; auto.
    + apply Forall_app in NC as [NC _]. rewrite Forall_forall in NC. auto.
    + apply sol_app in SS as [SS _]. unfold sol in SS. rewrite Forall_forall in SS. auto.
  - assert (WC := run_well_formed _ _ _ R WF). destruct P as (u & k & Wk & Pos).
    assert (FH := placing_facts _ _ R WF N' (fun g _ => no_facts g S V) (upward C) (upward_fixes C WC)).
    specialize (FH f). apply (RankFacts.walk_bound _ _ _ _ _ FH) in Wk. lia.
Qed.

(** * Lemma 5.1, policy steps *)

(** The content of a placement is entailed at its step … *)
Theorem placement_content C C' g : step Placement C C' -> well_formed C -> csol C g ->
  exists b, binds C' = compose (one b) (binds C) /\ content_holds g b.
Proof.
  intros St W [SS F]. inversion St as [|k' l c r s B G N d E b M T H Fr|]; subst. cbn [flight binds store] in *.
  exists b. split; auto. repeat rewrite sol_app in SS. rewrite sol_cons in SS. destruct SS as [(_ & SC & _) _].
  apply (binds_content Marked g _ _ _ _ _ H); [intros R R' ->; inversion H|].
  apply (turned_sat _ _ _ _ T), (fixes_c Marked g s c F), SC.
Qed.
(** … and that of a resolved word equation is not. *)
Theorem resolution_not_entailed : exists C C' b g, well_formed C /\ step Choice C C' /\ binds C' = compose (one b) (binds C) /\
  csol C g /\ ~ content_holds g b.
Proof.
  set (d n := Atom n "default"%string).
  set (S := [REq (RTerm [DConst (d 3%positive)] (Some "r"%string) []) (RTerm [] (Some "s"%string) [DConst (d 5%positive)])]).
  set (b := BindR "r" (RTerm [] None [])).
  exists (start S ["r"; "s"]%string), (Config (S ++ woken b []) (compose (one b) identity) (asleep b [])
      (fun f => stated_by f b ++ []) ([] ++ ["r"; "s"]%string)), b,
    (Val (fun _ => Unit) (fun x => if String.eqb x "r" then Row [d 5%positive] [] else Row [d 3%positive] [])).
  split; [|split; [|split; [reflexivity|split]]].
  - apply start_well_formed. constructor; [|constructor].
    split; (split; [repeat constructor | split; [repeat constructor | intros z E; injection E as <-; simpl; auto]]).
  - apply step_chooses.
    + split; [reflexivity|]. split; [|split]; simpl; auto. discriminate.
    + split; simpl; auto. split; [|split]; simpl; auto. discriminate.
    + intros n [].
  - apply start_csol. repeat constructor.
  - discriminate.
Qed.

(** Lemma 5.1 repaired, in one statement: semantic steps keep the solutions, with fresh names as far as they take some, and every step
    refines them. *)
Theorem steps_keep_or_refine k C C' : step k C C' -> well_formed C ->
  (forall g, csol C' g -> csol C g) /\
  (k = Semantic -> forall g, csol C g -> facts_hold g (facts C) ->
    exists h, agree (taken C) g h /\ csol C' h /\ facts_hold h (facts C')).
Proof.
  intros St W. split; [intros g; eapply step_refines; eauto|]. intros -> g. now apply semantic_step_keeps.
Qed.
