(** §3, to Lemma 3.3: terms and substitutions. Names are strings, of two sorts. *)
From Coq Require Import List String.
From Lozenge Require Import Dim.
Import ListNotations.
Open Scope list_scope.
Notation length := List.length.

Inductive dterm := DVar (a : string) | DConst (d : dim).

(** A row term (Def. 3.1): at most one row variable, at the marker. The type has no other terms, so the invariant holds by
    construction, and so does the place of the variable. *)
Record rterm := RTerm { rlead : list dterm; rvar : option string; rtrail : list dterm }.

(** The row variables of a term. *)
Definition row_vars (R : rterm) : list string := match rvar R with Some x => [x] | None => [] end.

(** A substitution (Def. 3.2): two total functions, which are the identity outside the domain. *)
Record subst := Subst { sdim : string -> dterm; srow : string -> rterm }.

(** Application is structural … *)
Definition sub_d (s : subst) (t : dterm) : dterm :=
  match t with DVar a => sdim s a | DConst d => DConst d end.

(** … except at the marker, where the flanks of the variable's value are spliced in. *)
Definition splice (l : list dterm) (v : rterm) (r : list dterm) : rterm :=
  RTerm (l ++ rlead v) (rvar v) (rtrail v ++ r).
Definition sub_r (s : subst) (R : rterm) : rterm :=
  let l := map (sub_d s) (rlead R) in
  let r := map (sub_d s) (rtrail R) in
  match rvar R with
  | None => RTerm l None r
  | Some x => splice l (srow s x) r
  end.

(** The composite [σ∘τ]. *)
Definition compose (s t : subst) : subst :=
  Subst (fun a => sub_d s (sdim t a)) (fun x => sub_r s (srow t x)).

Definition bare (x : string) : rterm := RTerm [] (Some x) [].
Definition identity : subst := Subst DVar bare.

(** The other conditions of Def. 3.2; that sorts are respected is in the types. A term is fixed if none of its variables is in the
    domain, and a substitution is idempotent if it maps the variables of its domain to fixed terms: no variable of the domain
    occurs in the range. *)
Definition finite (s : subst) : Prop :=
  exists ds rs, (forall a, ~ In a ds -> sdim s a = DVar a) /\ (forall x, ~ In x rs -> srow s x = bare x).
Definition fixed_d (s : subst) (t : dterm) : Prop := match t with DVar a => sdim s a = DVar a | DConst _ => True end.
Definition fixed_r (s : subst) (R : rterm) : Prop :=
  Forall (fixed_d s) (rlead R) /\ Forall (fixed_d s) (rtrail R) /\ (forall x, rvar R = Some x -> srow s x = bare x).
Definition idempotent (s : subst) : Prop :=
  (forall a, sdim s a <> DVar a -> fixed_d s (sdim s a)) /\ (forall x, srow s x <> bare x -> fixed_r s (srow s x)).

Lemma dterm_eq_dec (t u : dterm) : {t = u} + {t <> u}.
Proof. decide equality; [apply string_dec | apply dim_eq_dec]. Defined.
Lemma rterm_eq_dec (R S : rterm) : {R = S} + {R <> S}.
Proof. repeat decide equality. Defined.

(** * Def. 3.1: the invariant is preserved by application *)

Theorem one_variable s R : length (row_vars R) <= 1 /\ length (row_vars (sub_r s R)) <= 1.
Proof.
  assert (H : forall S, length (row_vars S) <= 1) by (intros [l [x|] r]; simpl; auto). auto.
Qed.

(** * Def. 3.2: the printed equation of application, and that an idempotent substitution does nothing when applied again *)

Theorem sub_bare s x : sub_r s (bare x) = srow s x.
Proof. unfold sub_r, splice; simpl. destruct (srow s x); simpl. now rewrite app_nil_r. Qed.
Theorem sub_marker s l x r l' y r' : srow s x = RTerm l' y r' ->
  sub_r s (RTerm l (Some x) r) = RTerm (map (sub_d s) l ++ l') y (r' ++ map (sub_d s) r).
Proof. intros E. unfold sub_r, splice; simpl. now rewrite E. Qed.

Lemma sub_fixed_d s t : fixed_d s t -> sub_d s t = t.
Proof. destruct t; simpl; auto. Qed.
Lemma map_fixed s l : Forall (fixed_d s) l -> map (sub_d s) l = l.
Proof. induction 1; simpl; f_equal; auto using sub_fixed_d. Qed.
Lemma sub_fixed_r s R : fixed_r s R -> sub_r s R = R.
Proof.
  destruct R as [l v r]. intros (L & T & V). unfold sub_r, splice; simpl in *. rewrite !map_fixed by auto.
  destruct v as [x|]; auto. rewrite (V x eq_refl). simpl. now rewrite app_nil_r.
Qed.
Lemma value_fixed_d s t : idempotent s -> fixed_d s (sub_d s t).
Proof.
  intros [D _]. destruct t as [a|]; simpl; auto.
  destruct (dterm_eq_dec (sdim s a) (DVar a)) as [E|N]; auto. rewrite E. exact E.
Qed.
Lemma map_value_fixed s l : idempotent s -> Forall (fixed_d s) (map (sub_d s) l).
Proof. intros I. apply Forall_map, Forall_forall. intros; now apply value_fixed_d. Qed.
Lemma value_fixed_r s R : idempotent s -> fixed_r s (sub_r s R).
Proof.
  intros I. destruct R as [l [x|] r]; unfold sub_r, splice, fixed_r; simpl.
  - assert (F : fixed_r s (srow s x)).
    { destruct (rterm_eq_dec (srow s x) (bare x)) as [E|N]; [|now apply I].
      rewrite E. split; [|split]; simpl; auto. intros y [= <-]. exact E. }
    destruct F as (A & B & C). rewrite !Forall_app. auto using map_value_fixed.
  - split; [|split]; auto using map_value_fixed. discriminate.
Qed.
Theorem idempotent_twice s : idempotent s ->
  (forall t, sub_d s (sub_d s t) = sub_d s t) /\ (forall R, sub_r s (sub_r s R) = sub_r s R).
Proof. intros I. split; intros; [apply sub_fixed_d, value_fixed_d | apply sub_fixed_r, value_fixed_r]; auto. Qed.

(** * Lemma 3.3: the composite applies one substitution after the other *)

Theorem compose_d s t X : sub_d (compose s t) X = sub_d s (sub_d t X).
Proof. now destruct X. Qed.
Lemma map_compose s t l : map (sub_d (compose s t)) l = map (sub_d s) (map (sub_d t) l).
Proof. rewrite map_map. apply map_ext, compose_d. Qed.
Theorem compose_r s t R : sub_r (compose s t) R = sub_r s (sub_r t R).
Proof.
  destruct R as [l [x|] r]; unfold sub_r at 1 3; unfold splice; simpl rlead; simpl rvar; simpl rtrail;
    rewrite !map_compose; simpl; [|reflexivity].
  destruct (srow t x) as [l' [y|] r']; unfold sub_r, splice; simpl; rewrite !map_app, ?app_assoc; reflexivity.
Qed.
