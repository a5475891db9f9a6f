(** §3, Def. 3.4: when a ground substitution satisfies a constraint, as a proposition and as a computation. *)
From Coq Require Import List String Lia Arith Bool PArith.
From Lozenge Require Import Lists Dim Row Rigid Term.
Import ListNotations.
Open Scope list_scope.
Notation length := List.length.

(** A ground substitution: a value for each variable. It is total, as in Def. 3.4. *)
Record val := Val { vdim : string -> dim; vrow : string -> row }.

Definition dval (g : val) (t : dterm) : dim := match t with DVar a => vdim g a | DConst d => d end.

(** The value of what stands at the marker: the empty row, if nothing does. *)
Definition mid (g : val) (v : option string) : row := match v with Some x => vrow g x | None => top end.
Definition rval (g : val) (R : rterm) : row :=
  Row (map (dval g) (rlead R) ++ lead (mid g (rvar R))) (trail (mid g (rvar R)) ++ map (dval g) (rtrail R)).

(** The two readings of [<=] between rows: the marked order of Def. 2.3, and the one-shot relation of Rem. 2.15. *)
Inductive order := Marked | OneShot.
Definition row_below (o : order) : row -> row -> Prop := match o with Marked => row_le | OneShot => row_le1 end.

Inductive constr :=
| DEq (a b : dterm)
| DLe (a b : dterm)
| REq (a b : rterm)
| RLe (a b : rterm).

(** Satisfaction. Equality of rows is that of their content. *)
Definition sat (o : order) (g : val) (c : constr) : Prop :=
  match c with
  | DEq a b => dval g a = dval g b
  | DLe a b => dim_le (dval g a) (dval g b)
  | REq a b => row_eq (rval g a) (rval g b)
  | RLe a b => row_below o (rval g a) (rval g b)
  end.

(** A solution of a set. *)
Definition sol (o : order) (S : list constr) (g : val) : Prop := Forall (sat o g) S.

(** * Satisfaction as a computation *)

Definition row_leb (o : order) (a b : row) : bool :=
  match o with
  | Marked => Nat.leb (length (lead b)) (length (lead a)) && Nat.leb (length (trail b)) (length (trail a))
  | OneShot => Nat.leb (rank b) (rank a)
  end && forall2b dim_leb (flat a) (expansion b (rank a)).

Definition satb (o : order) (g : val) (c : constr) : bool :=
  match c with
  | DEq a b => dim_eqb (dval g a) (dval g b)
  | DLe a b => dim_leb (dval g a) (dval g b)
  | REq a b => forall2b dim_eqb (flat (rval g a)) (flat (rval g b))
  | RLe a b => row_leb o (rval g a) (rval g b)
  end.

Lemma row_leb_spec o a b : row_leb o a b = true <-> row_below o a b.
Proof.
  unfold row_leb; destruct o; simpl; unfold row_le, row_le1;
    rewrite !andb_true_iff, ?Nat.leb_le, (forall2b_spec _ _ _ _ dim_leb_spec); tauto.
Qed.
Theorem satb_spec o g c : satb o g c = true <-> sat o g c.
Proof.
  destruct c; simpl; auto using dim_eqb_spec, dim_leb_spec, row_leb_spec.
  rewrite (forall2b_spec _ _ _ _ dim_eqb_spec). apply forall2_eq.
Qed.

(** * Def. 3.4: its formulations coincide *)

(** Of equality between rows: content, rigidified rows, the mutual one-shot relation. *)
Theorem equality_formulations R R' :
  (row_eq R R' <-> rigidified R = rigidified R') /\ (row_eq R R' <-> row_le1 R R' /\ row_le1 R' R).
Proof. split; [apply rigid_flat | symmetry; apply row_le1_mutual]. Qed.

(** A valuation after a substitution. *)
Definition after (g : val) (s : subst) : val := Val (fun a => dval g (sdim s a)) (fun x => rval g (srow s x)).
Definition sub_c (s : subst) (c : constr) : constr :=
  match c with
  | DEq a b => DEq (sub_d s a) (sub_d s b)
  | DLe a b => DLe (sub_d s a) (sub_d s b)
  | REq a b => REq (sub_r s a) (sub_r s b)
  | RLe a b => RLe (sub_r s a) (sub_r s b)
  end.

Lemma after_d g s t : dval (after g s) t = dval g (sub_d s t).
Proof. now destruct t. Qed.
Lemma map_after g s l : map (dval (after g s)) l = map (dval g) (map (sub_d s) l).
Proof. rewrite map_map. apply map_ext. intros; apply after_d. Qed.
Lemma after_r g s R : rval (after g s) R = rval g (sub_r s R).
Proof.
  destruct R as [l [x|] r]; unfold rval, sub_r, splice; simpl; rewrite !map_after; [|reflexivity].
  now rewrite !map_app, !app_assoc.
Qed.

(** A valuation after a substitution satisfies a constraint iff the valuation satisfies the substituted constraint. *)
Theorem sat_after o g s c : sat o (after g s) c <-> sat o g (sub_c s c).
Proof. destruct c; simpl; rewrite ?after_d, ?after_r; tauto. Qed.

(** A substitution models a set … *)
Definition models (o : order) (s : subst) (S : list constr) : Prop := forall g, sol o S (after g s).

(** … iff the substituted set is valid. *)
Theorem models_valid o s S : models o s S <-> forall g, sol o (map (sub_c s) S) g.
Proof.
  unfold models, sol. split; intros H g; specialize (H g); rewrite Forall_map in *;
    (eapply Forall_impl; [|exact H]); intros c; apply sat_after.
Qed.

(** * Variables

    A constraint depends on the values of its own variables only. *)

Definition vars_d (t : dterm) : list string := match t with DVar a => [a] | DConst _ => [] end.
Definition vars_of_row (R : rterm) : list string := flat_map vars_d (rlead R ++ rtrail R).
Definition dim_vars (c : constr) : list string :=
  match c with
  | DEq a b | DLe a b => vars_d a ++ vars_d b
  | REq a b | RLe a b => vars_of_row a ++ vars_of_row b
  end.
Definition row_vars_of (c : constr) : list string :=
  match c with
  | DEq _ _ | DLe _ _ => []
  | REq a b | RLe a b => row_vars a ++ row_vars b
  end.

(** Two valuations that agree except at these variables. *)
Definition agree_except (ds rs : list string) (g h : val) : Prop :=
  (forall a, ~ In a ds -> vdim g a = vdim h a) /\ (forall x, ~ In x rs -> vrow g x = vrow h x).

Lemma dval_agree g h t : (forall a, In a (vars_d t) -> vdim g a = vdim h a) -> dval g t = dval h t.
Proof. destruct t; simpl; auto. Qed.
Lemma map_agree g h l : (forall a, In a (flat_map vars_d l) -> vdim g a = vdim h a) -> map (dval g) l = map (dval h) l.
Proof.
  intros H. apply map_ext_in. intros t I. apply dval_agree. intros a J. apply H, in_flat_map. eauto.
Qed.
Lemma rval_agree g h R : (forall a, In a (vars_of_row R) -> vdim g a = vdim h a) ->
  (forall x, In x (row_vars R) -> vrow g x = vrow h x) -> rval g R = rval h R.
Proof.
  intros D X. unfold vars_of_row in D. rewrite flat_map_app in D. unfold rval, row_vars in *.
  rewrite (map_agree g h (rlead R)), (map_agree g h (rtrail R)) by (intros a I; apply D, in_or_app; auto).
  destruct (rvar R) as [x|]; simpl; auto. rewrite (X x) by now left. reflexivity.
Qed.
Theorem sat_agree o g h c : (forall a, In a (dim_vars c) -> vdim g a = vdim h a) ->
  (forall x, In x (row_vars_of c) -> vrow g x = vrow h x) -> (sat o g c <-> sat o h c).
Proof.
  intros D X. destruct c as [a b|a b|a b|a b]; simpl in *.
  1, 2: rewrite (dval_agree g h a), (dval_agree g h b) by (intros; apply D, in_or_app; auto); tauto.
  all: rewrite (rval_agree g h a), (rval_agree g h b) by (intros; (apply D || apply X); apply in_or_app; auto); tauto.
Qed.

(** A valuation that a substitution does not change where the constraint looks satisfies the constraint iff it satisfies the
    substituted one. *)
Theorem sat_bound o g s c : (forall a, vdim g a = dval g (sdim s a)) -> (forall x, vrow g x = rval g (srow s x)) ->
  (sat o g c <-> sat o g (sub_c s c)).
Proof. intros D X. rewrite <- sat_after. apply sat_agree; intros; simpl; auto. Qed.

(** * Ex. 3.5: a set with models, of which none is least *)

(** The substitution order: one substitution is below another that is reached from it by a further substitution. *)
Definition sub_le (s t : subst) : Prop := exists u, (forall a, sub_d u (sdim s a) = sdim t a) /\ (forall x, sub_r u (srow s x) = srow t x).

Section Example_3_5.
Let three := Atom 3%positive "default".
Let set := [DLe (DConst three) (DVar "a")].
Let to (d : dim) := Subst (fun a => if String.eqb a "a" then DConst d else DVar a) bare.

Theorem example_3_5_models o s : models o s set <-> sdim s "a"%string = DConst three \/ sdim s "a"%string = DConst Unit.
Proof.
  unfold models, sol, set. split.
  - intros H. destruct (sdim s "a") as [b|d] eqn:E.
    + specialize (H (Val (fun _ => Atom 5%positive "default") (fun _ => top))). inversion H as [|? ? K _]; subst.
      simpl in K. rewrite E in K. destruct K as [K|K]; discriminate K.
    + specialize (H (Val (fun _ => Unit) (fun _ => top))). inversion H as [|? ? K _]; subst.
      simpl in K. rewrite E in K. destruct K as [K|K]; simpl in K; [right|left]; congruence.
  - intros H g. constructor; auto. simpl. destruct H as [-> | ->]; simpl; [apply dim_le_refl | apply dim_le_top].
Qed.
Theorem example_3_5 o : (exists s, models o s set) /\ ~ exists s, models o s set /\ forall t, models o t set -> sub_le s t.
Proof.
  split.
  - exists (to three). apply example_3_5_models. now left.
  - intros (s & M & L). apply example_3_5_models in M.
    assert (A : forall d, d = three \/ d = Unit -> models o (to d) set).
    { intros d H. apply example_3_5_models. simpl. destruct H as [-> | ->]; auto. }
    destruct (L _ (A three (or_introl eq_refl))) as (u & U & _). destruct (L _ (A Unit (or_intror eq_refl))) as (v & V & _).
    specialize (U "a"%string). specialize (V "a"%string). simpl in U, V.
    destruct M as [E|E]; rewrite E in *; simpl in *; discriminate.
Qed.
End Example_3_5.
