(** Ex. 4.5a: two sets without a solution on which the rules go on for ever, if no cycle is looked for; and the guard of Def. 4.5 by
    flanks, which refuses only sets without a solution. *)
From Coq Require Import List String Lia Arith PArith ZArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction Rules Calculus Progress Runs.
From Lozenge Require RankFacts.
Import ListNotations.
Open Scope nat_scope.
Open Scope list_scope.
Notation length := List.length.

(** * Runs without an end *)

(** The first constraint in flight is taken, and what the step leaves is put behind the others, without end. *)
CoInductive diverges : config -> Prop :=
| goes_on c r E C C' : flight C = c :: r -> flight C' = r ++ E -> E <> [] -> step Semantic C C' -> diverges C' -> diverges C.

(** The step of a deficit on the leading flank. *)
Lemma deficit_step c r s G N als x bs y : sub_c s c = RLe (RTerm als (Some x) []) (RTerm bs (Some y) []) ->
  length als < length bs -> let new := fresh N (length bs - length als) in let z := name (S (longest N)) in
  let b := BindR x (grown new z []) in let d := sub_c s c in
  step Semantic (Config (c :: r) s [] G N)
    (Config (r ++ [d]) (compose (one b) s) [] (fun f => stated f d ++ stated_by f b ++ G f) ((z :: new) ++ N)).
Proof.
  intros E L new z b d.
  assert (St := step_binds Semantic [] c r s [] G N d [d] b (z :: new)). simpl app in St. apply St; clear St.
  - apply as_it_is.
  - subst d b. rewrite E.
    assert (R := by_ri_deficit (RTerm als (Some x) []) (RTerm bs (Some y) []) x z new []). rewrite !app_nil_r in R.
    apply R; clear R; try reflexivity.
    + unfold new, lead_deficit. now rewrite fresh_length.
    + unfold new. rewrite fresh_length. lia.
    + apply fresh_nodup.
  - intros n [<-|I]; [|now apply fresh_new in I]. apply (fresh_new N 1). unfold fresh. simpl. rewrite Nat.add_0_r. auto.
Qed.
Lemma sub_twice s b c : idempotent s -> sub_c (compose (one b) s) (sub_c s c) = sub_c (one b) (sub_c s c).
Proof.
  intros I. destruct (idempotent_twice s I) as [D X].
  destruct c; simpl; rewrite ?compose_d, ?compose_r, ?D, ?X; reflexivity.
Qed.
Lemma sub_compose s t c : sub_c (compose s t) c = sub_c s (sub_c t c).
Proof. destruct c; simpl; rewrite ?compose_d, ?compose_r; reflexivity. Qed.
Lemma grown_own als x T : sub_r (growth x T) (RTerm als (Some x) []) = RTerm (als ++ rlead T) (rvar T) (rtrail T ++ []).
Proof.
  unfold sub_r, splice; simpl. rewrite String.eqb_refl. f_equal. f_equal. rewrite <- (map_id als) at 2. apply map_ext. now intros [].
Qed.
Lemma grown_other als x y T : x <> y -> sub_r (growth x T) (RTerm als (Some y) []) = RTerm als (Some y) [].
Proof.
  intros N. unfold sub_r, splice; simpl. destruct (String.eqb_spec y x) as [->|_]; [contradiction|]. simpl. rewrite app_nil_r.
  f_equal. rewrite <- (map_id als) at 2. apply map_ext. now intros [].
Qed.

(** The first in flight is taken, and the property stays. *)
Definition stays (P : config -> Prop) (C : config) : Prop := exists c r E C', flight C = c :: r /\ flight C' = r ++ E /\ E <> [] /\
  step Semantic C C' /\ P C'.
Lemma staying_diverges (P : config -> Prop) : (forall C, P C -> stays P C) -> forall C, P C -> diverges C.
Proof.
  intros H. cofix next. intros C I. destruct (H C I) as (c & r & E & C' & F & F' & N & St & I').
  exact (goes_on c r E C C' F F' N St (next C' I')).
Qed.

(** Two inequalities, of which the first one has a deficit, and after its step the second one. *)
Definition alternate (C : config) : Prop := exists p q als bs x y d e,
  flight C = [p; q] /\ store C = [] /\ well_formed C /\ x <> y /\ In x (taken C) /\ In y (taken C) /\ length als <= length bs /\
  sub_c (binds C) p = RLe (RTerm als (Some x) []) (RTerm (d :: bs) (Some y) []) /\
  sub_c (binds C) q = RLe (RTerm bs (Some y) []) (RTerm (e :: als) (Some x) []).
Lemma alternate_stays C : alternate C -> stays alternate C.
Proof.
  intros (p & q & als & bs & x & y & d & e & F & B & W & Ne & Ix & Iy & L & P & Q).
  destruct C as [l s B' G N]; cbn [flight binds store taken] in *. subst l B'.
  assert (St := deficit_step p [q] s G N als x (d :: bs) y P ltac:(simpl; lia)). cbv zeta in St.
  set (new := fresh N (length (d :: bs) - length als)) in *. set (z := name (S (longest N))) in *.
  set (b := BindR x (grown new z [])) in *.
  assert (Zn : ~ In z N).
  { apply (fresh_new N 1). unfold fresh, z. simpl. rewrite Nat.add_0_r. auto. }
  exists p, [q], [sub_c s p]. match type of St with step _ _ ?C => exists C end.
  split; [reflexivity|]. split; [reflexivity|]. split; [discriminate|]. split; [exact St|].
  exists q, (sub_c s p), bs, (als ++ map DVar new), y, z, e, d. cbn [flight binds store taken].
  split; [reflexivity|]. split; [reflexivity|]. split; [exact (step_well_formed _ _ _ St W)|].
  split; [intros ->; auto|]. split; [right; apply in_or_app; auto|]. split; [now left|].
  split; [rewrite app_length, map_length; unfold new; rewrite fresh_length; cbn [List.length]; lia|].
  rewrite sub_compose, sub_twice, P, Q by apply W. simpl sub_c.
  assert (O : forall l, sub_r (growth x (grown new z [])) (RTerm l (Some x) []) = RTerm (l ++ map DVar new) (Some z) []).
  { intros l. rewrite grown_own. reflexivity. }
  rewrite !O, !grown_other by auto. split; reflexivity.
Qed.

(** One inequality of a row with itself. *)
Definition alone (C : config) : Prop := exists p als x d,
  flight C = [p] /\ store C = [] /\ well_formed C /\ sub_c (binds C) p = RLe (RTerm als (Some x) []) (RTerm (d :: als) (Some x) []).
Lemma alone_stays C : alone C -> stays alone C.
Proof.
  intros (p & als & x & d & F & B & W & P).
  destruct C as [l s B' G N]; cbn [flight binds store taken] in *. subst l B'.
  assert (St := deficit_step p [] s G N als x (d :: als) x P ltac:(simpl; lia)). cbv zeta in St.
  set (new := fresh N (length (d :: als) - length als)) in *. set (z := name (S (longest N))) in *.
  set (b := BindR x (grown new z [])) in *.
  exists p, [], [sub_c s p]. match type of St with step _ _ ?C => exists C end.
  split; [reflexivity|]. split; [reflexivity|]. split; [discriminate|]. split; [exact St|].
  exists (sub_c s p), (als ++ map DVar new), z, d. cbn [flight binds store taken].
  split; [reflexivity|]. split; [reflexivity|]. split; [exact (step_well_formed _ _ _ St W)|].
  rewrite sub_twice, P by apply W. simpl sub_c.
  assert (O : forall l, sub_r (growth x (grown new z [])) (RTerm l (Some x) []) = RTerm (l ++ map DVar new) (Some z) []).
  { intros l. rewrite grown_own. reflexivity. }
  rewrite !O. reflexivity.
Qed.

(** * Ex. 4.5a *)

Definition row_below_axis (x : string) (d : dim) (y : string) : constr := RLe (bare x) (RTerm [DConst d] (Some y) []).
Definition cyclic (x y : string) (a b : dim) : list constr := [row_below_axis x a y; row_below_axis y b x].

Lemma longer_by_one x d y g : sat Marked g (row_below_axis x d y) -> length (lead (vrow g y)) < length (lead (vrow g x)).
Proof. intros (L & _). unfold row_below_axis in L. rewrite rval_bare in L. simpl in L. lia. Qed.
Lemma row_below_axis_within x d y N : In x N -> In y N -> within N (row_below_axis x d y).
Proof.
  intros X Y. split; [now apply all_bare|]. split; [repeat constructor|]. split; [constructor|]. intros z E. injection E as <-. exact Y.
Qed.

(** The set of two inequalities has no solution, and its constraints may be taken in turn for ever. *)
Theorem cycle_of_two x y a b : x <> y ->
  (forall g, ~ sol Marked (cyclic x y a b) g) /\ diverges (start (cyclic x y a b) [x; y]).
Proof.
  intros N. split.
  - intros g H. apply sol_cons in H as [H K]. apply sol_one in K. apply longer_by_one in H, K. lia.
  - apply (staying_diverges alternate alternate_stays). exists (row_below_axis x a y), (row_below_axis y b x), [], [], x, y, (DConst a), (DConst b).
    split; [reflexivity|]. split; [reflexivity|]. split.
    { apply start_well_formed. constructor; [|constructor; [|constructor]]; apply row_below_axis_within; simpl; auto. }
    split; auto. split; [simpl; auto|]. split; [simpl; auto|]. split; [auto|]. split; reflexivity.
Qed.
(** So has the self-cyclic one. *)
Theorem cycle_of_one x a :
  (forall g, ~ sol Marked [row_below_axis x a x] g) /\ diverges (start [row_below_axis x a x] [x]).
Proof.
  split.
  - intros g H. apply sol_one, longer_by_one in H. lia.
  - apply (staying_diverges alone alone_stays). exists (row_below_axis x a x), [], x, (DConst a).
    split; [reflexivity|]. split; [reflexivity|]. split; [|reflexivity].
    apply start_well_formed. constructor; [|constructor]. apply row_below_axis_within; simpl; auto.
Qed.

(** * The guard of Def. 4.5 by flanks *)

(** The facts hold of every solution, extended to the fresh names. *)
Theorem facts_entailed S V C g : Forall (within V) S -> run semantic (start S V) C -> sol Marked S g ->
  exists h, agree V g h /\ csol C h /\ facts_hold h (facts C).
Proof. intros W R H. apply (start_csol S V) in H. exact (run_keeps _ _ g R (start_well_formed S V W) H (no_facts g S V)). Qed.
(** So a cycle of positive weight in the facts about one flank, at which the guard fails, means that there is no solution. *)
Theorem guard_sound S V C f : Forall (within V) S -> run semantic (start S V) C -> RankFacts.positive_cycle (facts C f) ->
  forall g, ~ sol Marked S g.
Proof. intros W R P. apply (semantic_failure_sound S V C W R). now apply fails_by_guard with f. Qed.
