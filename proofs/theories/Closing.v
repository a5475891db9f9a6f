(** §6: closing, and the greatest solution of a run in the set of all solutions. A closing step binds a variable to a value of its choice;
    the theorems hold for every such value, and so for every set of leaves and every order in which they are closed. *)
From Coq Require Import List String Lia Arith PArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction Rules Calculus Runs.
Import ListNotations.
Open Scope nat_scope.
Open Scope list_scope.
Notation length := List.length.

(** * Prop. 6.2 repaired, without termination *)

Definition ground_d (t : dterm) : Prop := match t with DConst _ => True | DVar _ => False end.
Definition ground_r (R : rterm) : Prop := Forall ground_d (rlead R) /\ rvar R = None /\ Forall ground_d (rtrail R).

Lemma ground_dval g h t : ground_d t -> dval g t = dval h t.
Proof. destruct t; simpl; [contradiction | reflexivity]. Qed.
Lemma ground_map g h l : Forall ground_d l -> map (dval g) l = map (dval h) l.
Proof. induction 1; simpl; f_equal; auto using ground_dval. Qed.
Lemma ground_rval g h R : ground_r R -> rval g R = rval h R.
Proof. intros (A & E & B). unfold rval. rewrite E. simpl. now rewrite (ground_map g h _ A), (ground_map g h _ B). Qed.

(** Def. 6.1: a free variable may be closed. A dimension variable gets a dimension, as a leaf the atom below it or else the unit, as an
    interior the unit; a row variable gets a row without a variable, whose holes are fresh variables. *)
Theorem dims_can_be_closed l s B G N a d : free_d s a -> In a N ->
  step Choice (Config l s B G N) (Config (l ++ woken (BindD a (DConst d)) B) (compose (one (BindD a (DConst d))) s)
    (asleep (BindD a (DConst d)) B) (fun f => stated_by f (BindD a (DConst d)) ++ G f) N).
Proof. intros F I. apply (step_chooses l s B G N (BindD a (DConst d)) []); simpl; auto. Qed.
Theorem rows_can_be_closed l s B G N x R M : free_r s x -> In x N -> rvar R = None ->
  all_r (free_d s) (fun _ => True) R -> all_r (fun a => In a (M ++ N)) (fun _ => True) R -> (forall n, In n M -> ~ In n N) ->
  step Choice (Config l s B G N) (Config (l ++ woken (BindR x R) B) (compose (one (BindR x R)) s)
    (asleep (BindR x R) B) (fun f => stated_by f (BindR x R) ++ G f) (M ++ N)).
Proof.
  intros F I E A A' Fr. apply step_chooses; auto.
  - split; auto. destruct A as (A & B' & _). split; [|split]; auto. rewrite E. discriminate.
  - split; [apply in_or_app; auto|]. destruct A' as (A' & B' & _). split; [|split]; auto. rewrite E. discriminate.
Qed.

(** If closing ends without an error or a failure, its values are a solution. *)
Theorem closing_sound S V C : Forall (within V) S -> run any_kind (start S V) C -> flight C = [] ->
  (forall n, In n V -> ground_d (sdim (binds C) n) /\ ground_r (srow (binds C) n)) ->
  forall g, sol Marked S (after g (binds C)).
Proof.
  intros W R E Gr g. apply (agree_sol V Marked (upward C)); auto; [|now apply (success_sound S V C)].
  split; intros n I; destruct (Gr n I) as [D X]; unfold upward, after; simpl; [now apply ground_dval | now apply ground_rval].
Qed.

(** * Prop. 6.4: the greatest solution among all *)

(** (i) repaired: γ↑ is a solution of the set, whatever the steps were … *)
Theorem upward_is_solution S V C : Forall (within V) S -> run any_kind (start S V) C -> flight C = [] -> sol Marked S (upward C).
Proof. apply success_sound. Qed.
(** … extends into the final configuration, and is above each valuation that does, … *)
Definition extends (V : list string) (C : config) (g : val) : Prop :=
  exists h, agree V g h /\ fixes h (binds C) /\ sol Marked (store C) h.
Theorem upward_extends S V C : Forall (within V) S -> run any_kind (start S V) C -> extends V C (upward C).
Proof.
  intros W R. assert (WF := run_well_formed _ _ _ R (start_well_formed S V W)). exists (upward C).
  split; [apply agree_refl|]. split; [now apply upward_fixes | now apply upward_bounds].
Qed.
Definition val_le_on (V : list string) (g h : val) : Prop :=
  (forall a, In a V -> dim_le (vdim g a) (vdim h a)) /\ (forall x, In x V -> row_le (vrow g x) (vrow h x)).
Theorem upward_above_extending V C g : extends V C g -> val_le_on V g (upward C).
Proof.
  intros (h & [A B] & F & _). destruct (upward_greatest C h F) as [D X].
  split; intros n I; [rewrite (A n I); apply D | rewrite (B n I); apply X].
Qed.
(** … which after semantic steps are all solutions. *)
Theorem upward_above_all S V C g : Forall (within V) S -> run semantic (start S V) C -> flight C = [] -> sol Marked S g ->
  val_le_on V g (upward C).
Proof. intros W R E H. apply upward_above_extending. now apply (represents S V C g W R E). Qed.

(** (ii): without that the claim is false. The solutions of [{⟨ρ⟩ ≈ [3, 5]}] are the three placements, of which none is above another. *)
Theorem no_greatest_placement :
  let d n := Atom n "default"%string in
  let S := [REq (bare "r") (RTerm [] None [DConst (d 3%positive); DConst (d 5%positive)])] in
  (exists g, sol Marked S g) /\ forall g, sol Marked S g -> exists h, sol Marked S h /\ ~ row_le (vrow h "r"%string) (vrow g "r"%string).
Proof.
  intros d S. set (left := Val (fun _ => Unit) (fun _ => Row [] [d 3%positive; d 5%positive])).
  set (right := Val (fun _ => Unit) (fun _ => Row [d 3%positive; d 5%positive] [])).
  assert (L : sol Marked S left) by (repeat constructor). assert (R : sol Marked S right) by (repeat constructor).
  split; [now exists left|]. intros g H. destruct (lead (vrow g "r"%string)) as [|x l] eqn:E.
  - exists right. split; auto. intros (_ & T & _). apply sol_one in H. simpl in H. rewrite rval_bare in H.
    unfold row_eq, flat in H. rewrite E in H. simpl in *. rewrite H in T. simpl in T. lia.
  - exists left. split; auto. intros (T & _). rewrite E in T. simpl in T. lia.
Qed.

(** (iii) repaired: up to the places of markers, γ↑ is above each valuation that extends into the final configuration up to them; rows are
    compared by the one-shot relation. *)
Definition extends_content (V : list string) (C : config) (g : val) : Prop :=
  exists h, agree V g h /\ fixes_content h (binds C) /\ sol Marked (store C) h.
Lemma row_le1_same R S T : row_eq R S -> row_le1 S T -> row_le1 R T.
Proof. intros E [A B]. unfold row_le1. rewrite (row_eq_rank _ _ E). split; auto. unfold row_eq in E. now rewrite E. Qed.
Theorem upward_above_placements V C g : extends_content V C g ->
  (forall a, In a V -> dim_le (vdim g a) (vdim (upward C) a)) /\
  (forall x, In x V -> row_le1 (vrow g x) (vrow (upward C) x)).
Proof.
  intros (h & [A B] & [D X] & _). split; intros n I.
  - rewrite (A n I), D. apply below_tops_d.
  - rewrite (B n I). apply (row_le1_same _ _ _ (X n)). apply row_le_one_shot, below_tops_r.
Qed.

(** * Prop. 6.5 repaired: the value of a leaf *)

(** The join of one or more ground caps. *)
Definition joined_caps (R : row) (caps : list row) : row := fold_left row_join caps R.

(** It is the least row above the caps. *)
Theorem committed_least caps : forall R, let J := joined_caps R caps in
  (row_le R J /\ Forall (fun S => row_le S J) caps) /\ forall U, row_le R U -> Forall (fun S => row_le S U) caps -> row_le J U.
Proof.
  induction caps as [|S caps IH]; intros R; simpl.
  - split; [split; [apply row_le_refl | constructor] | auto].
  - destruct (row_join_lub R S) as (A & B & L). destruct (IH (row_join R S)) as [[C D] M]. split.
    + split; [eapply row_le_trans; eauto|]. constructor; auto. eapply row_le_trans; eauto.
    + intros U H F. inversion F; subst. apply M; auto.
Qed.

(** A partial row, in which [None] is a hole; closing fills the holes with the unit. *)
Record partial := Partial { plead : list (option dim); ptrail : list (option dim) }.
Definition filled_with_units (p : partial) : row :=
  let unit_at o := match o with Some d => d | None => Unit end in Row (map unit_at (plead p)) (map unit_at (ptrail p)).
(** A row with the same flanks that is the partial one but at its holes. *)
Definition fills (p : partial) (R : row) : Prop :=
  let at_axis o d := match o with Some e => d = e | None => True end in
  Forall2 at_axis (plead p) (lead R) /\ Forall2 at_axis (ptrail p) (trail R).

Lemma outer_pointwise xs ys : Forall2 dim_le xs ys -> outer xs ys.
Proof. induction 1; constructor; auto. Qed.
(** Whatever stands at the holes, an atom for example, the row is below the committed one. *)
Theorem fillings_below p R : fills p R -> row_le R (filled_with_units p).
Proof.
  assert (K : forall os ds, Forall2 (fun o d => match o with Some e => d = e | None => True end) os ds ->
    Forall2 dim_le ds (map (fun o => match o with Some d => d | None => Unit end) os)).
  { induction 1 as [|[e|] d os ds H _ IH]; simpl; constructor; auto; [rewrite H; apply dim_le_refl | apply dim_le_top]. }
  intros [L T]. apply row_le_flanks. split; simpl; apply outer_pointwise; [now apply K|]. apply forall2_rev. now apply K.
Qed.
