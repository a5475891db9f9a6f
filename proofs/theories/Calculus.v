(** §4 as a calculus: configurations (Def. 4.1), the steps that its rules allow under an arbitrary strategy, and the invariants that each
    step keeps. Inequalities between rows are in the marked order, flank by flank. A deferred word equation stays in flight, so a
    run succeeds when nothing is in flight. *)
From Coq Require Import List String Lia Arith ZArith Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction Rules Equations.
From Lozenge Require RankFacts.
Import ListNotations.
Open Scope nat_scope.
Open Scope list_scope.
Notation length := List.length.

(** * The variables of a term and of a constraint

    [all_c P Q c] says that [P] holds of the dimension variables of a constraint and [Q] of its row variables. *)

Definition all_d (P : string -> Prop) (t : dterm) : Prop := match t with DVar a => P a | DConst _ => True end.
Definition all_r (P Q : string -> Prop) (R : rterm) : Prop :=
  Forall (all_d P) (rlead R) /\ Forall (all_d P) (rtrail R) /\ forall x, rvar R = Some x -> Q x.
Definition all_c (P Q : string -> Prop) (c : constr) : Prop :=
  match c with
  | DEq a b | DLe a b => all_d P a /\ all_d P b
  | REq a b | RLe a b => all_r P Q a /\ all_r P Q b
  end.

Lemma all_d_impl (P P' : string -> Prop) t : (forall a, P a -> P' a) -> all_d P t -> all_d P' t.
Proof. destruct t; simpl; auto. Qed.
Lemma all_r_impl (P Q P' Q' : string -> Prop) R :
  (forall a, P a -> P' a) -> (forall x, Q x -> Q' x) -> all_r P Q R -> all_r P' Q' R.
Proof.
  intros HP HQ (A & B & C). split; [|split; [|auto]].
  - revert A. apply Forall_impl. intros t. now apply all_d_impl.
  - revert B. apply Forall_impl. intros t. now apply all_d_impl.
Qed.
Lemma all_c_impl (P Q P' Q' : string -> Prop) c :
  (forall a, P a -> P' a) -> (forall x, Q x -> Q' x) -> all_c P Q c -> all_c P' Q' c.
Proof. intros HP HQ. destruct c; simpl; intros [A B]; split; eauto using all_d_impl, all_r_impl. Qed.

Lemma all_d_sub (P P' : string -> Prop) s t : (forall a, P a -> all_d P' (sdim s a)) -> all_d P t -> all_d P' (sub_d s t).
Proof. destruct t; simpl; auto. Qed.
Lemma all_map_sub (P P' : string -> Prop) s l :
  (forall a, P a -> all_d P' (sdim s a)) -> Forall (all_d P) l -> Forall (all_d P') (map (sub_d s) l).
Proof. intros H F. apply Forall_map. eapply Forall_impl; [|exact F]. intros t. now apply all_d_sub. Qed.
Lemma all_r_sub (P Q P' Q' : string -> Prop) s R : (forall a, P a -> all_d P' (sdim s a)) ->
  (forall x, Q x -> all_r P' Q' (srow s x)) -> all_r P Q R -> all_r P' Q' (sub_r s R).
Proof.
  intros HP HQ (A & B & C). destruct R as [l [x|] r]; unfold sub_r, splice; simpl in *.
  - destruct (HQ x (C x eq_refl)) as (A' & B' & C'). repeat split; simpl; auto; apply Forall_app; eauto using all_map_sub.
  - repeat split; simpl; eauto using all_map_sub. discriminate.
Qed.
Lemma all_c_sub (P Q P' Q' : string -> Prop) s c : (forall a, P a -> all_d P' (sdim s a)) ->
  (forall x, Q x -> all_r P' Q' (srow s x)) -> all_c P Q c -> all_c P' Q' (sub_c s c).
Proof. intros HP HQ. destruct c; simpl; intros [A B]; split; eauto using all_d_sub, all_r_sub. Qed.

Lemma all_d_names P t : all_d P t <-> forall a, In a (vars_d t) -> P a.
Proof. destruct t; simpl; [|tauto]. split; [intros H b [<-|[]]; auto | intros H; apply H; auto]. Qed.
Lemma all_r_names P Q R : all_r P Q R <-> (forall a, In a (vars_of_row R) -> P a) /\ (forall x, In x (row_vars R) -> Q x).
Proof.
  unfold all_r, vars_of_row, row_vars. split.
  - intros (A & B & C). split.
    + intros a I. apply in_flat_map in I as (t & I & J). rewrite in_app_iff in I.
      assert (T : all_d P t) by (rewrite Forall_forall in A, B; destruct I; auto). now apply (all_d_names P t).
    + destruct (rvar R) as [x|]; simpl; [intros y [<-|[]]; auto | intros y []].
  - intros [A B]. rewrite !Forall_forall. repeat split.
    1, 2: intros t I; apply all_d_names; intros a J; apply A, in_flat_map; exists t; rewrite in_app_iff; auto.
    intros x E. apply B. rewrite E. now left.
Qed.
Lemma all_c_names P Q c : all_c P Q c <-> (forall a, In a (dim_vars c) -> P a) /\ (forall x, In x (row_vars_of c) -> Q x).
Proof.
  destruct c; simpl; rewrite ?all_d_names, ?all_r_names; setoid_rewrite in_app_iff; split.
  1, 3: intros [A B]; split; [intros x [H|H]; auto | intros x []].
  1, 2: intros [A _]; split; intros x H; apply A; auto.
  1, 3: intros [[A B] [C D]]; split; intros x [H|H]; auto.
  1, 2: intros [A B]; split; split; intros x H; (apply A || apply B); auto.
Qed.

(** A constraint depends on the values of its own variables. *)
Lemma sat_all o g h c : all_c (fun a => vdim g a = vdim h a) (fun x => vrow g x = vrow h x) c -> sat o g c <-> sat o h c.
Proof. intros A. apply all_c_names in A as [A B]. now apply sat_agree. Qed.

(** * Configurations *)

Inductive flank := Leading | Trailing.
Definition flank_of (f : flank) (R : row) : list dim := match f with Leading => lead R | Trailing => trail R end.
Definition axes_of (f : flank) (R : rterm) : list dterm := match f with Leading => rlead R | Trailing => rtrail R end.

(** A configuration (Def. 4.1): Φ, σ and B; beside them the facts about the lengths of each flank (Def. 4.5), and the names that are
    taken. *)
Record config := Config {
  flight : list constr;
  binds : subst;
  store : list constr;
  facts : flank -> list RankFacts.edge;
  taken : list string
}.

(** The configuration with which a run begins. The taken names are those of the set, and perhaps more. *)
Definition start (S : list constr) (V : list string) : config := Config S identity [] (fun _ => []) V.

(** A binding of one variable. *)
Inductive bind := BindD (a : string) (t : dterm) | BindR (x : string) (T : rterm).
Definition one (b : bind) : subst := match b with BindD a t => binding a t | BindR x T => growth x T end.
Definition bound_holds (g : val) (b : bind) : Prop :=
  match b with BindD a t => vdim g a = dval g t | BindR x T => vrow g x = rval g T end.
(** The part of a binding that does not depend on where markers stand. *)
Definition content_holds (g : val) (b : bind) : Prop :=
  match b with BindD a t => vdim g a = dval g t | BindR x T => row_eq (vrow g x) (rval g T) end.

Definition mentions (b : bind) (c : constr) : bool :=
  match b with BindD a _ => existsb (String.eqb a) (dim_vars c) | BindR x _ => existsb (String.eqb x) (row_vars_of c) end.
Definition woken (b : bind) (B : list constr) : list constr := filter (mentions b) B.
Definition asleep (b : bind) (B : list constr) : list constr := filter (fun c => negb (mentions b c)) B.

(** * Rules that bind nothing *)

(** A chain of stored adjacencies. *)
Inductive chain (B : list constr) : string -> string -> Prop :=
| chain_one a b : In (DLe (DVar a) (DVar b)) B -> chain B a b
| chain_more a b c : In (DLe (DVar a) (DVar b)) B -> chain B b c -> chain B a c.

(** Atoms that travel along stored adjacencies. *)
Definition carried (B E : list constr) : Prop := forall c, In c E -> exists d a b, c = DLe (DConst d) (DVar b) /\
  In (DLe (DConst d) (DVar a)) B /\ In (DLe (DVar a) (DVar b)) B.

(** The cap that an inequality leaves; one of a variable with itself says nothing. *)
Definition cap (R R' : rterm) (x : string) : list constr :=
  if rterm_eq_dec (residue R R') (bare x) then [] else [RLe (residue R R') (bare x)].

Definition outer_axes (R R' : rterm) (k m : nat) : list constr :=
  zip_eq (firstn k (rlead R)) (firstn k (rlead R')) ++
  zip_eq (skipn (length (rtrail R) - m) (rtrail R)) (skipn (length (rtrail R') - m) (rtrail R')).

(** Under the store, a constraint is replaced by constraints that go into Φ and constraints that are stored. *)
Inductive replaces (B : list constr) : constr -> list constr -> list constr -> Prop :=
| by_de_refl t : replaces B (DEq t t) [] []
| by_di_top t : replaces B (DLe t (DConst Unit)) [] []
| by_di_refl t : replaces B (DLe t t) [] []
| by_di_ground d d' : dim_le d d' -> replaces B (DLe (DConst d) (DConst d')) [] []
| by_di_pin a d : d <> Unit -> replaces B (DLe (DVar a) (DConst d)) [DEq (DVar a) (DConst d)] []
| by_di_pin_top a : replaces B (DLe (DConst Unit) (DVar a)) [DEq (DVar a) (DConst Unit)] []
| by_di_cap d a E : d <> Unit -> (forall d', ~ In (DLe (DConst d') (DVar a)) B) -> carried (DLe (DConst d) (DVar a) :: B) E ->
    replaces B (DLe (DConst d) (DVar a)) E [DLe (DConst d) (DVar a)]
| by_di_cap_again d a : In (DLe (DConst d) (DVar a)) B -> replaces B (DLe (DConst d) (DVar a)) [] []
| by_di_cap_two d d' a : d <> d' -> In (DLe (DConst d') (DVar a)) B ->
    replaces B (DLe (DConst d) (DVar a)) [DEq (DVar a) (DConst Unit)] []
| by_di_adj a b E : a <> b -> carried (DLe (DVar a) (DVar b) :: B) E ->
    replaces B (DLe (DVar a) (DVar b)) E [DLe (DVar a) (DVar b)]
| by_di_antisym a b : a <> b -> chain B b a -> replaces B (DLe (DVar a) (DVar b)) [DEq (DVar a) (DVar b)] []
| by_re_closed R R' : rvar R = None -> rvar R' = None -> length (flat_term R) = length (flat_term R') ->
    replaces B (REq R R') (zip_eq (flat_term R) (flat_term R')) []
| by_re_same R R' x : rvar R = Some x -> rvar R' = Some x -> length (rlead R) = length (rlead R') ->
    length (rtrail R) = length (rtrail R') -> replaces B (REq R R') (zip_eq (rlead R) (rlead R') ++ zip_eq (rtrail R) (rtrail R')) []
| by_re_waits R R' x y : rvar R = Some x -> rvar R' = Some y -> length (rlead R) < length (rlead R') ->
    length (rtrail R') < length (rtrail R) -> (x = y -> length (flat_term R) = length (flat_term R')) ->
    replaces B (REq R R') (outer_axes R R' (length (rlead R)) (length (rtrail R')) ++
      [REq (inner (length (rlead R)) (length (rtrail R')) R) (inner (length (rlead R)) (length (rtrail R')) R')]) []
| by_ri_cap R R' x : rvar R' = Some x -> length (rlead R') <= length (rlead R) -> length (rtrail R') <= length (rtrail R) ->
    replaces B (RLe R R') (aligned R R') (cap R R' x)
| by_ri_closed_operand R R' : rvar R' = None -> length (rlead R') <= length (rlead R) -> length (rtrail R') <= length (rtrail R) ->
    replaces B (RLe R R') (aligned R R') [].

(** * Rules that bind a variable *)

(** A step is semantic, places a marker, or chooses a value (a resolution of a word equation, or closing). *)
Inductive kind := Semantic | Placement | Choice.

(** A constraint is replaced by constraints that go into Φ and a binding, with fresh names. *)
Inductive binds_by : kind -> constr -> list constr -> bind -> list string -> Prop :=
| by_de_bind a t : t <> DVar a -> binds_by Semantic (DEq (DVar a) t) [] (BindD a t) []
| by_re_nothing R R' x : rvar R = Some x -> rvar R' = None -> length (flat_term R) = length (flat_term R') ->
    binds_by Semantic (REq R R') (outer_axes R (RTerm (flat_term R') None (flat_term R')) (length (rlead R)) (length (rtrail R)))
      (BindR x (RTerm [] None [])) []
| by_re_placed R R' x m m' : rvar R = Some x -> rvar R' = None -> length (flat_term R) < length (flat_term R') ->
    m ++ m' = middle R R' ->
    binds_by Placement (REq R R') (outer_axes R (RTerm (flat_term R') None (flat_term R')) (length (rlead R)) (length (rtrail R)))
      (BindR x (RTerm m None m')) []
| by_re_nested R R' x y : rvar R = Some x -> rvar R' = Some y -> x <> y -> length (rlead R) <= length (rlead R') ->
    length (rtrail R) <= length (rtrail R') ->
    binds_by Placement (REq R R') (outer_axes R R' (length (rlead R)) (length (rtrail R)))
      (BindR x (inner (length (rlead R)) (length (rtrail R)) R')) []
| by_ri_deficit R R' x x' als bes : rvar R = Some x -> length als = lead_deficit R R' -> length bes = trail_deficit R R' ->
    0 < length (als ++ bes) -> NoDup (als ++ bes) ->
    binds_by Semantic (RLe R R') [RLe R R'] (BindR x (grown als x' bes)) (x' :: als ++ bes).

(** * Contradictions *)

Inductive clash : constr -> Prop :=
| clash_de d d' : d <> d' -> clash (DEq (DConst d) (DConst d'))
| clash_di d d' : ~ dim_le d d' -> clash (DLe (DConst d) (DConst d'))
| clash_ranks R R' : rvar R = None -> rvar R' = None -> length (flat_term R) <> length (flat_term R') -> clash (REq R R')
| clash_overflow R R' : rvar R' = None -> length (flat_term R') < length (flat_term R) -> clash (REq R R')
| clash_occurs R R' x : rvar R = Some x -> rvar R' = Some x -> length (flat_term R) <> length (flat_term R') -> clash (REq R R')
| clash_short R R' : rvar R = None -> length (rlead R) < length (rlead R') \/ length (rtrail R) < length (rtrail R') -> clash (RLe R R').

(** * Facts about flanks (Def. 4.5, by flanks)

    An inequality between open rows says of each flank on which the result has no surplus by how much the result's variable is longer
    than the operand's; a binding to an open row says by how much the variable is longer. *)

Definition stated (f : flank) (c : constr) : list RankFacts.edge :=
  match c with
  | RLe R R' =>
      match rvar R, rvar R' with
      | Some x, Some y =>
          if Nat.leb (length (axes_of f R)) (length (axes_of f R'))
          then [(x, Z.of_nat (length (axes_of f R') - length (axes_of f R)), y)] else []
      | _, _ => []
      end
  | _ => []
  end.
Definition stated_by (f : flank) (b : bind) : list RankFacts.edge :=
  match b with
  | BindR x T => match rvar T with Some y => [(x, Z.of_nat (length (axes_of f T)), y)] | None => [] end
  | BindD _ _ => []
  end.
Definition facts_hold (g : val) (G : flank -> list RankFacts.edge) : Prop :=
  forall f, RankFacts.satisfied (G f) (fun x => Z.of_nat (length (flank_of f (vrow g x)))).

(** * Steps

    Any constraint in flight may be taken; σ is applied to it, and an equality may be turned around. *)

Inductive turned : constr -> constr -> Prop :=
| as_it_is c : turned c c
| turned_dims a b : turned (DEq a b) (DEq b a)
| turned_rows a b : turned (REq a b) (REq b a).

Definition free_d (s : subst) (a : string) : Prop := sdim s a = DVar a.
Definition free_r (s : subst) (x : string) : Prop := srow s x = bare x.
(** A variable that is not bound, and a value of variables that are not bound, without the variable itself. *)
Definition bindable (s : subst) (b : bind) : Prop :=
  match b with
  | BindD a t => free_d s a /\ all_d (fun n => free_d s n /\ n <> a) t
  | BindR x T => free_r s x /\ all_r (free_d s) (fun n => free_r s n /\ n <> x) T
  end.
Definition names_in (N : list string) (b : bind) : Prop :=
  let in_N n := In n N in
  match b with BindD a t => In a N /\ all_d in_N t | BindR x T => In x N /\ all_r in_N in_N T end.

Inductive step : kind -> config -> config -> Prop :=
| step_replaces l c r s B G N d E S : turned (sub_c s c) d -> replaces B d E S ->
    step Semantic (Config (l ++ c :: r) s B G N) (Config (l ++ r ++ E) s (S ++ B) (fun f => stated f d ++ G f) N)
| step_binds k l c r s B G N d E b M : turned (sub_c s c) d -> binds_by k d E b M -> (forall n, In n M -> ~ In n N) ->
    step k (Config (l ++ c :: r) s B G N)
      (Config (l ++ r ++ E ++ woken b B) (compose (one b) s) (asleep b B) (fun f => stated f d ++ stated_by f b ++ G f) (M ++ N))
| step_chooses l s B G N b M : bindable s b -> names_in (M ++ N) b -> (forall n, In n M -> ~ In n N) ->
    step Choice (Config l s B G N)
      (Config (l ++ woken b B) (compose (one b) s) (asleep b B) (fun f => stated_by f b ++ G f) (M ++ N)).

(** A step that fails. The guard of Def. 4.5 looks for a cycle of positive weight in the facts of one flank. *)
Inductive fails : config -> Prop :=
| fails_by_rule C c d : In c (flight C) -> turned (sub_c (binds C) c) d -> clash d -> fails C
| fails_by_guard C f : RankFacts.positive_cycle (facts C f) -> fails C.

(** Runs, by the kinds of steps that they may take. *)
Inductive run (allowed : kind -> Prop) : config -> config -> Prop :=
| run_ends C : run allowed C C
| run_steps k C C' C'' : allowed k -> step k C C' -> run allowed C' C'' -> run allowed C C''.
Definition any_kind (k : kind) : Prop := True.
Definition semantic (k : kind) : Prop := k = Semantic.
Definition placing (k : kind) : Prop := k <> Choice.

(** * The rules use the variables of what they read *)

Lemma all_in_firstn {A} (P : A -> Prop) n l : Forall P l -> Forall P (firstn n l).
Proof. intros F. rewrite <- (firstn_skipn n l) in F. now apply Forall_app in F. Qed.
Lemma all_in_skipn {A} (P : A -> Prop) n l : Forall P l -> Forall P (skipn n l).
Proof. intros F. rewrite <- (firstn_skipn n l) in F. now apply Forall_app in F. Qed.
Create HintDb parts.
#[export] Hint Resolve all_in_firstn all_in_skipn Forall_rev : parts.

Section Names.
Variables P Q : string -> Prop.

Lemma all_zip_eq l l' : Forall (all_d P) l -> Forall (all_d P) l' -> Forall (all_c P Q) (zip_eq l l').
Proof.
  unfold zip_eq. intros F. revert l'. induction F as [|t l H _ IH]; intros l' F'; simpl; [constructor|].
  destruct F' as [|t' l' H' F']; simpl; constructor; simpl; auto.
Qed.
Lemma all_facing l l' : Forall (all_d P) l -> Forall (all_d P) l' -> Forall (all_c P Q) (facing l l').
Proof.
  unfold facing. intros F. revert l'. induction F as [|t l H _ IH]; intros l' F'; simpl; [constructor|].
  destruct F' as [|t' l' H' F']; simpl; constructor; simpl; auto.
Qed.
Lemma all_flat R : all_r P Q R -> Forall (all_d P) (flat_term R).
Proof. intros (A & B & _). now apply Forall_app. Qed.
Lemma all_inner k m R : all_r P Q R -> all_r P Q (inner k m R).
Proof. intros (A & B & C). unfold inner. split; [|split]; simpl; auto with parts. Qed.
Lemma all_residue R R' : all_r P Q R -> all_r P Q (residue R R').
Proof. intros (A & B & C). unfold residue. split; [|split]; simpl; auto with parts. Qed.
Lemma all_middle R R' : all_r P Q R' -> Forall (all_d P) (middle R R').
Proof. intros H. apply all_flat in H. unfold middle. auto with parts. Qed.
Lemma all_bare x : Q x -> all_r P Q (bare x).
Proof. intros H. split; [|split]; simpl; auto. now intros y [= <-]. Qed.
Lemma all_aligned R R' : all_r P Q R -> all_r P Q R' -> Forall (all_c P Q) (aligned R R').
Proof. intros (A & B & _) (A' & B' & _). apply Forall_app. split; apply all_facing; auto with parts. Qed.
Lemma all_outer_axes R R' k m : all_r P Q R -> all_r P Q R' -> Forall (all_c P Q) (outer_axes R R' k m).
Proof. intros (A & B & _) (A' & B' & _). apply Forall_app. split; apply all_zip_eq; auto with parts. Qed.

Lemma all_turned c d : turned c d -> all_c P Q c -> all_c P Q d.
Proof. intros []; simpl; tauto. Qed.
Lemma all_carried B E : carried B E -> Forall (all_c P Q) B -> Forall (all_c P Q) E.
Proof.
  intros H F. rewrite Forall_forall in *. intros c I. destruct (H c I) as (d & a & b & -> & _ & J).
  specialize (F _ J). simpl in *. tauto.
Qed.
Lemma all_replaces B c E S : replaces B c E S -> Forall (all_c P Q) B -> all_c P Q c -> Forall (all_c P Q) (E ++ S).
Proof.
  intros H F A. apply Forall_app.
  destruct H as [ | | | | | |d a E N L K| | |a b E N K| | | |R R' x y Ex Ey L T O|R R' x Ex L T| ]; simpl in A;
    try (split; repeat constructor; simpl; tauto).
  - split; [|repeat constructor; simpl; tauto]. apply (all_carried _ _ K). constructor; simpl; tauto.
  - split; [|repeat constructor; simpl; tauto]. apply (all_carried _ _ K). constructor; simpl; tauto.
  - split; [|constructor]. destruct A. apply all_zip_eq; now apply all_flat.
  - split; [|constructor]. destruct A as [(A & A' & _) (C & C' & _)]. apply Forall_app. split; now apply all_zip_eq.
  - split; [|constructor]. destruct A. apply Forall_app. split; [now apply all_outer_axes|].
    constructor; [|constructor]. split; now apply all_inner.
  - destruct A as [A A']. split; [now apply all_aligned|]. unfold cap. destruct (rterm_eq_dec _ _); [constructor|].
    constructor; [|constructor]. split; [now apply all_residue | apply all_bare; now apply A'].
  - destruct A as [A A']. split; [now apply all_aligned | constructor].
Qed.
End Names.

Lemma all_names_binds (P Q : string -> Prop) k d E b M : binds_by k d E b M -> all_c P Q d ->
  (forall n, In n M -> P n /\ Q n) -> Forall (all_c P Q) E /\
  match b with BindD a t => P a /\ all_d P t | BindR x T => Q x /\ all_r P Q T end.
Proof.
  intros H A F. destruct H as [a t N|R R' x Ex Ec L|R R' x m m' Ex Ec L Em|R R' x y Ex Ey N L T|R R' x x' als bes Ex La Lb Pos ND].
  - simpl in A. auto.
  - destruct A as [A A']. assert (A1 := all_flat P Q _ A'). split.
    + apply all_outer_axes; auto. split; [|split]; simpl; auto. discriminate.
    + split; [now apply A|]. split; [|split]; simpl; auto. discriminate.
  - destruct A as [A A']. assert (A1 := all_flat P Q _ A'). split.
    + apply all_outer_axes; auto. split; [|split]; simpl; auto. discriminate.
    + split; [now apply A|]. assert (K := all_middle P Q R R' A'). rewrite <- Em in K. apply Forall_app in K.
      split; [|split]; simpl; try tauto. discriminate.
  - destruct A as [A A']. split; [auto using all_outer_axes|]. split; [now apply A | auto using all_inner].
  - split; [repeat constructor; apply A|]. destruct A as [A A']. split; [now apply A|]. split; [|split]; simpl.
    + apply Forall_map, Forall_forall. intros a I. simpl. apply F. right. apply in_or_app. auto.
    + apply Forall_map, Forall_forall. intros a I. simpl. apply F. right. apply in_or_app. auto.
    + intros y [= <-]. apply F. now left.
Qed.

(** * The invariants of a configuration

    Among them those of Def. 4.1: bindings are idempotent, a dimension variable has at most one atom as a bound, and bounds are of
    variables that are not bound. *)

Definition free_c (s : subst) : constr -> Prop := all_c (free_d s) (free_r s).
Definition within (N : list string) : constr -> Prop := all_c (fun n => In n N) (fun n => In n N).

(** The form of a bound: an atom or a variable below a variable, or a row below a row variable. *)
Definition is_bound (c : constr) : Prop :=
  match c with
  | DLe _ (DVar _) => True
  | RLe _ R => exists x, R = bare x
  | _ => False
  end.

Record well_formed (C : config) : Prop := {
  bindings_idempotent : idempotent (binds C);
  bounds_have_their_form : Forall is_bound (store C);
  bounds_are_free : Forall (free_c (binds C)) (store C);
  one_atom_below : forall d d' a, In (DLe (DConst d) (DVar a)) (store C) -> In (DLe (DConst d') (DVar a)) (store C) -> d = d';
  names_are_taken : Forall (within (taken C)) (flight C ++ store C);
  others_are_free : forall n, ~ In n (taken C) -> free_d (binds C) n /\ free_r (binds C) n;
  values_are_taken : forall n, In n (taken C) -> all_d (fun a => In a (taken C)) (sdim (binds C) n) /\
    all_r (fun a => In a (taken C)) (fun x => In x (taken C)) (srow (binds C) n);
  facts_are_taken : forall f e, In e (facts C f) -> In (RankFacts.from_ e) (taken C) /\ In (RankFacts.to_ e) (taken C)
}.

Lemma start_well_formed S V : Forall (within V) S -> well_formed (start S V).
Proof.
  intros H. split; simpl; auto; try tauto.
  - split; intros n N; exfalso; now apply N.
  - now rewrite app_nil_r.
  - intros; split; reflexivity.
  - intros n I. split; auto. now apply all_bare.
Qed.

(** * A further binding keeps them *)

Definition differs_d (b : bind) (n : string) : Prop := match b with BindD a _ => n <> a | BindR _ _ => True end.
Definition differs_r (b : bind) (n : string) : Prop := match b with BindD _ _ => True | BindR x _ => n <> x end.

Lemma still_free_d s b n : free_d s n -> differs_d b n -> free_d (compose (one b) s) n.
Proof.
  unfold free_d. simpl. intros -> D. destruct b as [a t|x T]; simpl in *; auto.
  destruct (String.eqb_spec n a); [contradiction | reflexivity].
Qed.
Lemma still_free_r s b n : free_r s n -> differs_r b n -> free_r (compose (one b) s) n.
Proof.
  unfold free_r. simpl. intros -> D. rewrite sub_bare. destruct b as [a t|x T]; simpl in *; auto.
  destruct (String.eqb_spec n x); [contradiction | reflexivity].
Qed.
(** The value of a free variable under the further binding has free variables only. *)
Lemma one_value_d s b n : bindable s b -> free_d s n -> all_d (free_d (compose (one b) s)) (sdim (one b) n).
Proof.
  intros B F. destruct b as [a t|x T].
  - change (sdim (one (BindD a t)) n) with (if String.eqb n a then t else DVar n).
    destruct (String.eqb_spec n a) as [->|N]; [|exact (still_free_d s (BindD a t) n F N)].
    destruct B as [_ V]. revert V. apply all_d_impl. intros m [V W]. exact (still_free_d s (BindD a t) m V W).
  - exact (still_free_d s (BindR x T) n F Logic.I).
Qed.
Lemma one_value_r s b n : bindable s b -> free_r s n ->
  all_r (free_d (compose (one b) s)) (free_r (compose (one b) s)) (srow (one b) n).
Proof.
  intros B F. destruct b as [a t|x T].
  - apply all_bare. exact (still_free_r s (BindD a t) n F Logic.I).
  - change (srow (one (BindR x T)) n) with (if String.eqb n x then T else bare n).
    destruct (String.eqb_spec n x) as [->|N]; [|apply all_bare; exact (still_free_r s (BindR x T) n F N)].
    destruct B as [_ V]. revert V. apply all_r_impl.
    + intros m V. exact (still_free_d s (BindR x T) m V Logic.I).
    + intros m [V W]. exact (still_free_r s (BindR x T) m V W).
Qed.
Lemma values_free_d s b t : idempotent s -> bindable s b -> all_d (free_d (compose (one b) s)) (sub_d (compose (one b) s) t).
Proof.
  intros I B. rewrite compose_d. apply all_d_sub with (free_d s); [intros; now apply one_value_d|]. now apply value_fixed_d.
Qed.
Lemma values_free_r s b R : idempotent s -> bindable s b ->
  all_r (free_d (compose (one b) s)) (free_r (compose (one b) s)) (sub_r (compose (one b) s) R).
Proof.
  intros I B. rewrite compose_r. apply all_r_sub with (free_d s) (free_r s).
  - intros; now apply one_value_d.
  - intros; now apply one_value_r.
  - now apply value_fixed_r.
Qed.
Lemma bound_idempotent s b : idempotent s -> bindable s b -> idempotent (compose (one b) s).
Proof.
  intros I B. split.
  - intros a _. exact (values_free_d s b (DVar a) I B).
  - intros x _. rewrite <- (sub_bare (compose (one b) s) x). exact (values_free_r s b (bare x) I B).
Qed.
Lemma asleep_free s b S : Forall (free_c s) S -> Forall (free_c (compose (one b) s)) (asleep b S).
Proof.
  intros F. unfold asleep. rewrite Forall_forall in *. intros c J. apply filter_In in J as [J M].
  specialize (F c J). unfold free_c in *. apply all_c_names in F as [F G]. apply negb_true_iff in M.
  assert (D : forall l n, existsb (String.eqb n) l = false -> forall m, In m l -> m <> n).
  { intros l n E m L ->. assert (existsb (String.eqb n) l = true); [|congruence].
    apply existsb_exists. exists n. split; auto. apply String.eqb_refl. }
  apply all_c_names. split; intros n L.
  - apply still_free_d; auto. destruct b; simpl in *; eauto.
  - apply still_free_r; auto. destruct b; simpl in *; eauto.
Qed.

Lemma asleep_in b B c : In c (asleep b B) -> In c B.
Proof. intros H. now apply filter_In in H. Qed.
Lemma woken_or_asleep b B c : In c B <-> In c (woken b B) \/ In c (asleep b B).
Proof.
  unfold woken, asleep. rewrite !filter_In. destruct (mentions b c); simpl; intuition congruence.
Qed.

(** A term that is read under σ has no bound variable. *)
Lemma read_free s c d : idempotent s -> turned (sub_c s c) d -> free_c s d.
Proof.
  intros I T. apply (all_turned _ _ _ _ T). assert (H : forall t, all_d (free_d s) (sub_d s t)) by (intros; now apply value_fixed_d).
  assert (K : forall R, all_r (free_d s) (free_r s) (sub_r s R)) by (intros; now apply value_fixed_r).
  destruct c; simpl; auto.
Qed.
Lemma read_within N s c d : (forall n, In n N -> all_d (fun a => In a N) (sdim s n) /\
    all_r (fun a => In a N) (fun x => In x N) (srow s n)) -> turned (sub_c s c) d -> within N c -> within N d.
Proof.
  intros V T W. apply (all_turned _ _ _ _ T). unfold within in *. eapply all_c_sub; [| |exact W]; intros n J; now apply V.
Qed.

(** The binding of a rule is one of a free variable, to free ones. *)
Lemma rule_bindable N s k d E b M : binds_by k d E b M -> free_c s d -> within N d ->
  (forall n, In n M -> free_d s n /\ free_r s n /\ ~ In n N) -> bindable s b.
Proof.
  intros H F W Fr. assert (H' := H).
  apply (all_names_binds (free_d s) (free_r s)) in H' as [_ A]; auto; [|intros n J; split; now apply Fr].
  destruct H as [a t Ne|R R' x Ex Ec L|R R' x m m' Ex Ec L Em|R R' x y Ex Ey Ne L T|R R' x x' als bes Ex La Lb Pos ND]; simpl in *.
  - destruct A as [A V]. split; auto. destruct t as [n|c]; simpl in *; auto. split; auto. congruence.
  - destruct A as [A V]. split; auto. split; [|split]; simpl; auto. discriminate.
  - destruct A as [A (V & V' & _)]. split; auto. split; [|split]; simpl; auto. discriminate.
  - destruct A as [A (V & V' & Vr)]. split; auto. split; [|split]; auto. simpl. intros z Ez. split; auto. congruence.
  - destruct A as [A (V & V' & Vr)]. split; auto. split; [|split]; auto. simpl. intros z [= <-]. split; auto.
    intros ->. destruct W as [(_ & _ & W) _]. destruct (Fr x (or_introl eq_refl)) as (_ & _ & Fx). auto.
Qed.

(** * Each step keeps the invariants *)

Lemma within_more M N c : within N c -> within (M ++ N) c.
Proof. apply all_c_impl; intros n I; apply in_or_app; auto. Qed.

Lemma stored_form B c E S : replaces B c E S -> Forall is_bound S.
Proof. intros []; repeat constructor. unfold cap. destruct (rterm_eq_dec _ _); repeat constructor. simpl. eauto. Qed.
Lemma stored_atom B c E S d a : replaces B c E S -> In (DLe (DConst d) (DVar a)) S ->
  S = [DLe (DConst d) (DVar a)] /\ forall d', ~ In (DLe (DConst d') (DVar a)) B.
Proof.
  intros H I. destruct H; try (destruct I; fail).
  - destruct I as [[= -> ->]|[]]. auto.
  - destruct I as [I|[]]. discriminate I.
  - unfold cap in I. destruct (rterm_eq_dec _ _); [destruct I|]. destruct I as [I|[]]. discriminate I.
Qed.

Lemma stated_names N f c e : within N c -> In e (stated f c) -> In (RankFacts.from_ e) N /\ In (RankFacts.to_ e) N.
Proof.
  intros W I. destruct c as [a b|a b|R R'|R R']; simpl in I; try contradiction.
  destruct W as [(_ & _ & W) (_ & _ & W')].
  destruct (rvar R) as [x|]; [|contradiction]. destruct (rvar R') as [y|]; [|contradiction].
  destruct (Nat.leb _ _); [|contradiction]. destruct I as [<-|[]]. unfold RankFacts.from_, RankFacts.to_; simpl. auto.
Qed.
Lemma stated_by_names N f b e : names_in N b -> In e (stated_by f b) -> In (RankFacts.from_ e) N /\ In (RankFacts.to_ e) N.
Proof.
  intros W I. destruct b as [a t|x T]; simpl in I; [contradiction|]. destruct W as [X (_ & _ & W)].
  destruct (rvar T) as [y|]; [|contradiction]. destruct I as [<-|[]]. unfold RankFacts.from_, RankFacts.to_; simpl. auto.
Qed.

Lemma replaced_well_formed l c r s B G N d E S : turned (sub_c s c) d -> replaces B d E S ->
  well_formed (Config (l ++ c :: r) s B G N) ->
  well_formed (Config (l ++ r ++ E) s (S ++ B) (fun f => stated f d ++ G f) N).
Proof.
  intros T H [I Fo Fr At Na Ot Va Fa]; cbn [flight binds store facts taken] in *.
  assert (Na' := Na). rewrite !Forall_app, Forall_cons_iff in Na'. destruct Na' as [(NL & NC & NR) NB].
  assert (D : within N d) by (eapply read_within; eauto).
  assert (ES := all_replaces _ _ _ _ _ _ H NB D). apply Forall_app in ES as [NE NS].
  assert (FS := all_replaces _ _ _ _ _ _ H Fr (read_free s c d I T)). apply Forall_app in FS as [_ FS].
  split; cbn [flight binds store facts taken]; auto.
  - apply Forall_app. split; auto. eapply stored_form; eauto.
  - now apply Forall_app.
  - intros e e' a J K. rewrite in_app_iff in J, K. destruct J as [J|J], K as [K|K].
    + destruct (stored_atom _ _ _ _ _ _ H J) as [E1 _]. rewrite E1 in K. destruct K as [[= ->]|[]]. reflexivity.
    + destruct (stored_atom _ _ _ _ _ _ H J) as [_ No]. now apply No in K.
    + destruct (stored_atom _ _ _ _ _ _ H K) as [_ No]. now apply No in J.
    + eauto.
  - rewrite !Forall_app. auto.
  - intros f e J. rewrite in_app_iff in J. destruct J as [J|J]; eauto using stated_names.
Qed.

Lemma bound_well_formed l s B G N b M E G' : well_formed (Config l s B G N) -> bindable s b -> names_in (M ++ N) b ->
  (forall n, In n M -> ~ In n N) -> Forall (within (M ++ N)) E ->
  (forall f e, In e (G' f) -> In (RankFacts.from_ e) (M ++ N) /\ In (RankFacts.to_ e) (M ++ N)) ->
  well_formed (Config (E ++ woken b B) (compose (one b) s) (asleep b B) G' (M ++ N)).
Proof.
  intros [I Fo Fr At Na Ot Va Fa] Bi Nb Mf NE GN; cbn [flight binds store facts taken] in *.
  apply Forall_app in Na as [_ NB].
  assert (V : forall n, In n (M ++ N) -> all_d (fun a => In a (M ++ N)) (sdim s n) /\
      all_r (fun a => In a (M ++ N)) (fun x => In x (M ++ N)) (srow s n)).
  { intros n J. destruct (in_dec string_dec n N) as [K|K].
    - destruct (Va n K) as [X Y]. split.
      + revert X. apply all_d_impl. intros; apply in_or_app; auto.
      + revert Y. apply all_r_impl; intros; apply in_or_app; auto.
    - destruct (Ot n K) as [X Y]. unfold free_d, free_r in X, Y. rewrite X, Y. split; auto. now apply all_bare. }
  assert (O : forall n, In n (M ++ N) -> all_d (fun a => In a (M ++ N)) (sdim (one b) n) /\
      all_r (fun a => In a (M ++ N)) (fun x => In x (M ++ N)) (srow (one b) n)).
  { intros n J. destruct b as [a t|x T]; destruct Nb as [X Y]; simpl.
    - split; [destruct (String.eqb n a); auto | now apply all_bare].
    - split; auto. destruct (String.eqb n x); auto. now apply all_bare. }
  split; cbn [flight binds store facts taken].
  - now apply bound_idempotent.
  - rewrite Forall_forall in *. intros c J. apply Fo. now apply asleep_in in J.
  - now apply asleep_free.
  - intros d d' a J K. apply asleep_in in J, K. eauto.
  - apply Forall_app. split; [apply Forall_app; split; auto|]; rewrite Forall_forall in *; intros c J; apply within_more, NB.
    + apply woken_or_asleep with b. auto.
    + now apply asleep_in in J.
  - intros n J. assert (K : ~ In n N) by (intros K; apply J, in_or_app; auto). destruct (Ot n K) as [X Y].
    destruct b as [a t|x T]; destruct Nb as [Z _]; (split; [apply still_free_d | apply still_free_r]); simpl; auto; intros ->; auto.
  - intros n J. destruct (V n J) as [X Y]. simpl. split.
    + revert X. apply all_d_sub. intros m K. now apply O.
    + revert Y. apply all_r_sub; intros m K; now apply O.
  - exact GN.
Qed.

Theorem step_well_formed k C C' : step k C C' -> well_formed C -> well_formed C'.
Proof.
  intros [l c r s B G N d E S T H|k' l c r s B G N d E b M T H Fr|l s B G N b M Bi Nb Fr] W.
  - eapply replaced_well_formed; eauto.
  - assert (W' := W). destruct W' as [I Fo Fb At Na Ot Va Fa]; cbn [flight binds store facts taken] in *.
    rewrite !Forall_app, Forall_cons_iff in Na. destruct Na as [(NL & NC & NR) NB].
    assert (D : within N d) by (eapply read_within; eauto).
    assert (Bi : bindable s b).
    { eapply (rule_bindable N); eauto; [now apply (read_free s c)|]. intros n J. specialize (Fr n J).
      destruct (Ot n Fr). auto. }
    destruct (all_names_binds (fun n => In n (M ++ N)) (fun n => In n (M ++ N)) _ _ _ _ _ H) as [NE Nb].
    { now apply (within_more M). }
    { intros n J. split; apply in_or_app; auto. }
    replace (l ++ r ++ E ++ woken b B) with ((l ++ r ++ E) ++ woken b B) by now rewrite <- !app_assoc.
    eapply bound_well_formed; eauto.
    + rewrite !Forall_app. split; [|split]; auto; rewrite Forall_forall in *; intros; apply within_more; auto.
    + intros f e J. rewrite !in_app_iff in J. destruct J as [J|[J|J]].
      * eapply stated_names; eauto. now apply within_more.
      * eapply stated_by_names; eauto.
      * destruct (Fa f e J). rewrite !in_app_iff. auto.
  - eapply bound_well_formed; eauto.
    + destruct W as [_ _ _ _ Na _ _ _]; cbn [flight store taken] in Na. apply Forall_app in Na as [Na _].
      rewrite Forall_forall in *; intros; apply within_more; auto.
    + intros f e J. rewrite in_app_iff in J. destruct J as [J|J]; [eapply stated_by_names; eauto|].
      destruct W as [_ _ _ _ _ _ _ Fa]; cbn [facts taken] in Fa. destruct (Fa f e J). rewrite !in_app_iff. auto.
Qed.

Lemma run_well_formed allowed C C' : run allowed C C' -> well_formed C -> well_formed C'.
Proof. induction 1; eauto using step_well_formed. Qed.

(** Def. 4.1: in each configuration of a run bindings are idempotent, at most one atom is stored below a dimension variable, and the
    stored bounds have no bound variable, … *)
Theorem run_invariants allowed S V C : Forall (within V) S -> run allowed (start S V) C ->
  idempotent (binds C) /\
  (forall d d' a, In (DLe (DConst d) (DVar a)) (store C) -> In (DLe (DConst d') (DVar a)) (store C) -> d = d') /\
  Forall (free_c (binds C)) (store C).
Proof. intros H R. destruct (run_well_formed _ _ _ R (start_well_formed S V H)); auto. Qed.
(** … and a binding puts each stored bound that has the variable back into Φ. *)
Theorem bounds_are_emitted k C C' c : step k C C' -> In c (store C) -> In c (store C') \/ In c (flight C').
Proof.
  intros [l c' r s B G N d E S T H|k' l c' r s B G N d E b M T H Fr|l s B G N b M Bi Nb Fr] I;
    cbn [flight store] in *; rewrite ?in_app_iff; auto; apply (woken_or_asleep b) in I; tauto.
Qed.
