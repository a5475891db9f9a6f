(** The statements of a checker, and the lengths that they need (Decision.1, Decision.6(dimensions)). *)
From Coq Require Import List String ZArith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction certificate.Form.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.
Notation length := List.length.

(** A statement of a checker: a constraint between rows, or that a row has this axis at a place of its content. *)
Inductive statement := Rows (eq : bool) (l r : rterm) | Axis (l : rterm) (at_ : form) (d : dim).
Definition one (d : dterm) : rterm := RTerm [d] None [].
Definition left (s : statement) := match s with Rows _ l _ => l | Axis l _ _ => l end.
Definition right (s : statement) := match s with Rows _ _ r => r | Axis _ _ d => one (DConst d) end.
Definition holds (o : order) (g : val) (e : env) (s : statement) : Prop :=
  match s with
  | Rows true l r => row_eq (rval g l) (rval g r)
  | Rows false l r => row_below o (rval g l) (rval g r)
  | Axis l p d => znth (flat (rval g l)) (eval e p) = Some d
  end.
(** A constraint as one between rows. One between dimensions is one between rows whose only axis these are, in front of the
    marker. *)
Definition of_constr (c : constr) : statement :=
  match c with
  | DEq a b => Rows true (one a) (one b) | DLe a b => Rows false (one a) (one b)
  | REq a b => Rows true a b | RLe a b => Rows false a b
  end.
Lemma one_row o g a b :
  (dval g a = dval g b <-> row_eq (rval g (one a)) (rval g (one b))) /\
  (dim_le (dval g a) (dval g b) <-> row_below o (rval g (one a)) (rval g (one b))).
Proof.
  unfold row_eq, flat, rval, one; cbn. split; [split; [congruence | now intros [=]]|]. split; intros H.
  - assert (K : row_le (Row [dval g a] []) (Row [dval g b] [])).
    { apply row_le_flanks; cbn. split; [apply outer_cons; [exact H|]|]; apply outer_nil. }
    destruct o; [|apply row_le_one_shot]; exact K.
  - assert (K : row_le1 (Row [dval g a] []) (Row [dval g b] [])) by (destruct o; auto using row_le_one_shot).
    destruct K as [_ K]. cbn in K. now inversion K.
Qed.
Theorem of_constr_holds o g e c : holds o g e (of_constr c) <-> sat o g c.
Proof. destruct c as [a b|a b|a b|a b]; cbn; try tauto; symmetry; apply (one_row o g a b). Qed.

(** * Lengths of a side, as forms *)

Definition add_len (f : form) (l : string -> lvar) (R : rterm) : form :=
  match rvar R with Some x => add_times f 1 (variable (l x)) | None => f end.
Definition front_form (R : rterm) : form := add_len (number_form (zlen (rlead R))) LX R.
Definition back_form (R : rterm) : form := add_len (number_form (zlen (rtrail R))) LY R.
(** The number of axes in front of the trailing flank. *)
Definition before_trailing (R : rterm) : form := add_len (add_len (number_form (zlen (rlead R))) LX R) LY R.
Definition rank_form (R : rterm) : form := shift (before_trailing R) (zlen (rtrail R)).

(** An environment that has the lengths of the values. *)
Definition env_of (g : val) (e : env) : Prop :=
  (forall x, e (LX x) = zlen (lead (vrow g x)) /\ e (LY x) = zlen (trail (vrow g x))) /\ 0 <= e LP.

(** The lengths of the values, a position, and 0 for every other name. *)
Definition base (g : val) (p : Z) : env :=
  fun v => match v with LX x => zlen (lead (vrow g x)) | LY x => zlen (trail (vrow g x)) | LP => p | _ => 0 end.

Lemma base_env g p : 0 <= p -> env_of g (base g p).
Proof. intros P. split; [intros x; split|]; cbn; auto. Qed.

Section Lengths.
Variables (g : val) (e : env) (E : env_of g e).

Lemma eval_front R : eval e (front_form R) = zlen (lead (rval g R)).
Proof.
  unfold front_form, add_len, rval; cbn [lead]. rewrite zlen_app, zlen_map.
  destruct (rvar R) as [x|]; cbn; autorewrite with eval; [rewrite (proj1 (proj1 E x))|unfold zlen; cbn]; lia.
Qed.
Lemma eval_back R : eval e (back_form R) = zlen (trail (rval g R)).
Proof.
  unfold back_form, add_len, rval; cbn [trail]. rewrite zlen_app, zlen_map.
  destruct (rvar R) as [x|]; cbn; autorewrite with eval; [rewrite (proj2 (proj1 E x))|unfold zlen; cbn]; lia.
Qed.
Lemma eval_inside R : eval e (before_trailing R) = zlen (rlead R) + zlen (flat (mid g (rvar R))).
Proof.
  unfold before_trailing, add_len, flat; rewrite zlen_app. destruct (rvar R) as [x|]; cbn; autorewrite with eval;
  [rewrite (proj1 (proj1 E x)), (proj2 (proj1 E x))|unfold zlen; cbn]; lia.
Qed.
Lemma flat_rval R : flat (rval g R) = map (dval g) (rlead R) ++ flat (mid g (rvar R)) ++ map (dval g) (rtrail R).
Proof. unfold flat, rval; cbn. now rewrite <- !app_assoc. Qed.
Lemma zlen_flat R : zlen (flat (rval g R)) = eval e (rank_form R).
Proof. unfold rank_form. autorewrite with eval. rewrite eval_inside, flat_rval, !zlen_app, !zlen_map. lia. Qed.
Lemma rank_flat (R : row) : Z.of_nat (rank R) = zlen (flat R).
Proof. unfold zlen. now rewrite length_flat. Qed.
End Lengths.

(** * The parts of the length condition of a statement *)

Definition length_part (o : order) (s : statement) (p : nat) : option form :=
  match s, p with
  | Axis _ at_ _, 0%nat => Some at_
  | Axis l at_ _, 1%nat => Some (shift (minus (rank_form l) at_) (-1))
  | Rows true l r, 0%nat => Some (minus (rank_form l) (rank_form r))
  | Rows true l r, 1%nat => Some (minus (rank_form r) (rank_form l))
  | Rows false l r, 0%nat => Some match o with Marked => minus (front_form l) (front_form r) | OneShot => minus (rank_form l) (rank_form r) end
  | Rows false l r, 1%nat => match o with Marked => Some (minus (back_form l) (back_form r)) | OneShot => None end
  | _, _ => None
  end.
Lemma length_sound o g e s p f : env_of g e -> holds o g e s -> length_part o s p = Some f -> nonneg e f.
Proof.
  intros E H K. unfold nonneg.
  destruct s as [[] l r|l q d], p as [|[|]]; cbn [length_part] in K; try discriminate; try (injection K as <-);
    autorewrite with eval; rewrite ?eval_front, ?eval_back by auto.
  - rewrite <- !(zlen_flat g e E). cbn [holds] in H. unfold row_eq in H. rewrite H. lia.
  - rewrite <- !(zlen_flat g e E). cbn [holds] in H. unfold row_eq in H. rewrite H. lia.
  - destruct o; cbn [holds row_below] in H; destruct H as (L & _); autorewrite with eval.
    + rewrite !(eval_front g e E). unfold zlen. lia.
    + rewrite <- !(zlen_flat g e E), <- !rank_flat. lia.
  - destruct o; try discriminate. injection K as <-. destruct H as (_ & L & _).
    autorewrite with eval. rewrite !(eval_back g e E). unfold zlen. lia.
  - cbn [holds] in H. apply znth_range in H. lia.
  - cbn [holds] in H. apply znth_range in H. rewrite <- (zlen_flat g e E). lia.
Qed.

(** Decision.1: a constraint between rows requires its lengths, and they are enough where all axes are units. *)
Theorem lengths_required o g e c p f : env_of g e -> sat o g c -> length_part o (of_constr c) p = Some f -> nonneg e f.
Proof. intros E H. apply length_sound with (o := o) (g := g); auto. now apply of_constr_holds. Qed.
Theorem lengths_enough o g e (eq : bool) l r : env_of g e ->
  Forall (fun d => d = Unit) (flat (rval g l)) -> Forall (fun d => d = Unit) (flat (rval g r)) ->
  (forall p f, length_part o (Rows eq l r) p = Some f -> nonneg e f) -> holds o g e (Rows eq l r).
Proof.
  intros E L R H.
  assert (U : forall xs, Forall (fun d => d = Unit) xs -> xs = repeat Unit (length xs)).
  { induction 1; cbn; congruence. }
  assert (T : forall n S, (rank S <= n)%nat -> Forall (fun d => d = Unit) (flat S) -> expansion S n = repeat Unit n).
  { intros n S N F. rewrite (U (expansion S n)), length_expansion; auto. unfold expansion, flat in *.
    apply Forall_app in F as [F1 F2]. rewrite !Forall_app. repeat split; auto.
    apply Forall_forall. intros x X. now apply repeat_spec in X. }
  assert (B : (rank (rval g r) <= rank (rval g l))%nat ->
    Forall2 dim_le (flat (rval g l)) (expansion (rval g r) (rank (rval g l)))).
  { intros N. rewrite (T _ _ N R). apply all_le_units. apply length_flat. }
  unfold nonneg in H. assert (H0 := H 0%nat). assert (H1 := H 1%nat). destruct eq; cbn [length_part holds] in *.
  - specialize (H0 _ eq_refl). specialize (H1 _ eq_refl). autorewrite with eval in *.
    rewrite <- !(zlen_flat g e E) in *. unfold row_eq. rewrite (U _ L), (U _ R). unfold zlen in *. f_equal. lia.
  - destruct o; specialize (H0 _ eq_refl); autorewrite with eval in H0; cbn [row_below].
    + specialize (H1 _ eq_refl). autorewrite with eval in H1. rewrite !(eval_front g e E) in H0.
      rewrite !(eval_back g e E) in H1. unfold zlen in *. split; [lia|]. split; [lia|]. apply B. unfold rank. lia.
    + rewrite <- !(zlen_flat g e E), <- !rank_flat in H0. split; [lia|]. apply B. lia.
Qed.
