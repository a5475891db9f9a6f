(** Walks of atoms, loops and clashes: the soundness of each rule of a certificate (Decision.4 to 6). *)
From Coq Require Import List String ZArith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction certificate.Form certificate.Statement.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.
Notation length := List.length.

(** * How an atom goes from the operand to the result *)

Lemma below_one_shot o R2 R1 : row_below o R2 R1 -> row_le1 R2 R1.
Proof. destruct o; auto using row_le_one_shot. Qed.
Lemma cross_leading o R2 R1 j d : row_below o R2 R1 -> j < zlen (lead R1) -> znth (flat R1) j = Some d -> d <> Unit ->
  znth (flat R2) j = Some d.
Proof.
  intros H%below_one_shot J K N. destruct H as [_ F]. unfold flat at 1 in K. rewrite znth_app1 in K by auto.
  eapply znth_forall2 in F as (x & X & L); [|unfold expansion; rewrite znth_app1; eauto].
  apply dim_le_atom in L; congruence.
Qed.
Lemma cross_trailing o R2 R1 j d : row_below o R2 R1 -> zlen (lead R1) <= j -> znth (flat R1) j = Some d -> d <> Unit ->
  znth (flat R2) (j + Z.of_nat (rank R2) - Z.of_nat (rank R1)) = Some d.
Proof.
  intros H%below_one_shot J K N. destruct H as [Q F]. unfold flat at 1 in K. rewrite znth_app2 in K by auto.
  assert (0 <= j - zlen (lead R1)) by (apply znth_range in K; lia).
  eapply znth_forall2 in F as (x & X & L).
  - apply dim_le_atom in L; [|exact N]. subst x. exact X.
  - unfold expansion. rewrite znth_app2 by (unfold zlen in *; lia). rewrite znth_app2.
    + rewrite <- K. f_equal. unfold zlen. rewrite repeat_length. lia.
    + unfold zlen in *. rewrite repeat_length. lia.
Qed.

(** Decision.6(equal). *)
Lemma cross_equal R R' j d : row_eq R R' -> (znth (flat R) j = Some d <-> znth (flat R') j = Some d).
Proof. unfold row_eq. intros ->. tauto. Qed.

(** Decision.6(clash): an axis that is an atom is no other axis, and equal places of a row are the same axis. *)
Theorem clash_axes (R : row) i j a b : znth (flat R) i = Some a -> znth (flat R) j = Some b -> i = j -> a = b.
Proof. intros A B ->. congruence. Qed.

(** Decision.6(land): where a place of [l <r> t] lands. *)
Theorem place_of_content g R j : zlen (rlead R) <= j < zlen (rlead R) + zlen (flat (mid g (rvar R))) ->
  znth (flat (rval g R)) j = znth (flat (mid g (rvar R))) (j - zlen (rlead R)).
Proof.
  intros J. rewrite flat_rval, znth_app2 by (rewrite zlen_map; lia). rewrite zlen_map. apply znth_app1. lia.
Qed.
Theorem place_of_leading g R k t : nth_error (rlead R) k = Some t -> znth (flat (rval g R)) (Z.of_nat k) = Some (dval g t).
Proof.
  intros H. assert (N : nth_error (rlead R) k <> None) by congruence. apply nth_error_Some in N.
  rewrite flat_rval, znth_app1 by (rewrite zlen_map; unfold zlen; lia). rewrite znth_nat. now apply map_nth_error.
Qed.
Theorem place_of_trailing g R k t : nth_error (rtrail R) k = Some t ->
  znth (flat (rval g R)) (zlen (rlead R) + zlen (flat (mid g (rvar R))) + Z.of_nat k) = Some (dval g t).
Proof.
  intros H. rewrite flat_rval. rewrite znth_app2 by (rewrite zlen_map; unfold zlen; lia).
  rewrite znth_app2 by (rewrite zlen_map; unfold zlen; lia). rewrite zlen_map.
  replace (_ - _) with (Z.of_nat k) by lia. rewrite znth_nat. now apply map_nth_error.
Qed.

Section Sound.
Variables (o : order) (g : val) (e : env) (E : env_of g e).

(** * Places *)

(** The place of a walk: at a dimension variable, at a place in the content of a row variable, or at a written axis. *)
Inductive place := In_dim (a : string) | In_row (x : string) (f : form) | Written (d : dim).
Definition is_at (a : dim) (p : place) : Prop :=
  match p with
  | In_dim v => vdim g v = a
  | In_row x f => znth (flat (vrow g x)) (eval e f) = Some a
  | Written d => d = a
  end.

(** The place of a walk on a side of a constraint, as a certificate writes it. *)
Inductive position := Leading (k : nat) | Content | Trailing (k : nat).
Definition axis (R : rterm) (p : position) : option dterm :=
  match p with Leading k => nth_error (rlead R) k | Trailing k => nth_error (rtrail R) k | Content => None end.
Definition axis_index (R : rterm) (p : position) : form :=
  match p with Leading k => number_form (Z.of_nat k) | Trailing k => shift (before_trailing R) (Z.of_nat k) | Content => number_form 0 end.

Lemma axis_at R p t : axis R p = Some t -> znth (flat (rval g R)) (eval e (axis_index R p)) = Some (dval g t).
Proof.
  rewrite flat_rval. destruct p as [k| |k]; cbn; try discriminate; intros H; autorewrite with eval.
  - assert (nth_error (rlead R) k <> None) by congruence. apply nth_error_Some in H0.
    rewrite znth_app1 by (rewrite zlen_map; unfold zlen; lia).
    unfold znth. destruct (Z.ltb_spec (Z.of_nat k) 0); [lia|]. rewrite Nat2Z.id. now apply map_nth_error.
  - rewrite (eval_inside g e E). rewrite znth_app2 by (rewrite zlen_map; unfold zlen; lia).
    rewrite znth_app2 by (rewrite zlen_map; unfold zlen; lia). rewrite zlen_map.
    unfold znth. destruct (Z.ltb_spec (zlen (rlead R) + zlen (flat (mid g (rvar R))) + Z.of_nat k - zlen (rlead R) - zlen (flat (mid g (rvar R)))) 0); [lia|].
    replace (Z.to_nat _) with k by lia. now apply map_nth_error.
Qed.

(** * Steps

    A walk is nowhere, or at a place whose axis is exactly an atom. *)
Inductive crossing := By_leading | By_trailing | By_equal.
Record step := Step { number : nat; from_left : bool; enter : position; by_ : crossing; landing : position }.
Definition state := option (dim * place).

(** The atom of the walk, and the place in the content of the side from which it steps. *)
Definition enter_side (src : rterm) (p : position) (s : state) : option (dim * form) :=
  match p, s with
  | Content, Some (a, In_row x f) =>
      match rvar src with Some y => if String.eqb x y then Some (a, shift f (zlen (rlead src))) else None | None => None end
  | Content, _ => None
  | _, _ =>
      match axis src p, s with
      | Some (DConst a), None => if is_atom a then Some (a, axis_index src p) else None
      | Some (DVar v), Some (a, In_dim w) => if String.eqb v w then Some (a, axis_index src p) else None
      | _, _ => None
      end
  end.
(** The same place of the other side, with the conditions under which the constraint carries an atom there. *)
Definition cross (st : statement) (by_ : crossing) (from_left : bool) (src tgt : rterm) (i : form) : option (form * list form) :=
  match by_, st, from_left with
  | By_equal, Rows true _ _, _ => Some (i, [])
  | By_equal, Axis _ p _, true => Some (minus i p, [])
  | By_equal, Axis _ p _, false => Some (add_times i 1 p, [])
  | By_leading, Rows false _ _, false => Some (i, [shift (minus (front_form src) i) (-1)])
  | By_trailing, Rows false _ _, false => Some (minus (add_times i 1 (rank_form tgt)) (rank_form src), [minus i (front_form src)])
  | _, _, _ => None
  end.
(** The place at which the walk is then, with the conditions under which that is the place in the content. *)
Definition land_on (tgt : rterm) (p : position) (i : form) : option (place * list form) :=
  match p with
  | Content =>
      match rvar tgt with
      | Some x => let f := shift i (- zlen (rlead tgt)) in Some (In_row x f, [f; shift (minus (before_trailing tgt) i) (-1)])
      | None => None
      end
  | _ =>
      let d := minus i (axis_index tgt p) in
      match axis tgt p with
      | Some (DConst c) => Some (Written c, [d; neg d])
      | Some (DVar v) => Some (In_dim v, [d; neg d])
      | None => None
      end
  end.
Definition take_step (S : list statement) (s : step) (w : state) : option (dim * place * list form) :=
  match nth_error S (number s) with
  | None => None
  | Some st =>
      let src := if from_left s then left st else right st in
      let tgt := if from_left s then right st else left st in
      match enter_side src (enter s) w with
      | None => None
      | Some (a, i) =>
          match cross st (by_ s) (from_left s) src tgt i with
          | None => None
          | Some (j, cs) => match land_on tgt (landing s) j with None => None | Some (p, cs') => Some (a, p, cs ++ cs') end
          end
      end
  end.

Definition sound_state (w : state) : Prop := match w with None => True | Some (a, p) => a <> Unit /\ is_at a p end.

Lemma enter_sound src p w a i : sound_state w -> enter_side src p w = Some (a, i) ->
  a <> Unit /\ znth (flat (rval g src)) (eval e i) = Some a.
Proof.
  intros G H. destruct p as [k| |k].
  1, 3: cbn in H; match type of H with context[axis ?R ?p] => idtac | _ => idtac end.
  - destruct (nth_error (rlead src) k) as [[v|c]|] eqn:A; [|destruct w; [discriminate|destruct (is_atom c) eqn:I; [|discriminate]]|discriminate].
    + destruct w as [[b [w|x f|d]]|]; try discriminate. destruct (String.eqb_spec v w); [|discriminate]. injection H as <- <-.
      destruct G as [N G]; cbn in G. subst. split; auto. now apply (axis_at src (Leading k)) in A.
    + injection H as <- <-. split; [now destruct c|]. now apply (axis_at src (Leading k)) in A.
  - destruct (nth_error (rtrail src) k) as [[v|c]|] eqn:A; [|destruct w; [discriminate|destruct (is_atom c) eqn:I; [|discriminate]]|discriminate].
    + destruct w as [[b [w|x f|d]]|]; try discriminate. destruct (String.eqb_spec v w); [|discriminate]. injection H as <- <-.
      destruct G as [N G]; cbn in G. subst. split; auto. now apply (axis_at src (Trailing k)) in A.
    + injection H as <- <-. split; [now destruct c|]. now apply (axis_at src (Trailing k)) in A.
  - cbn in H. destruct w as [[b [w|x f|d]]|]; try discriminate. destruct (rvar src) as [y|] eqn:V; [|discriminate].
    destruct (String.eqb_spec x y); [|discriminate]. injection H as <- <-. subst y. destruct G as [N G]; cbn in G. split; auto.
    autorewrite with eval. rewrite flat_rval, V. cbn [mid]. assert (R := znth_range _ _ _ G).
    rewrite znth_app2 by (rewrite zlen_map; lia). rewrite zlen_map, znth_app1 by lia. rewrite <- G. f_equal. lia.
Qed.

(** Crossing to a place is sound if the place lies in the other side … *)
Lemma cross_sound st b fl i j cs a :
  let src := if fl : bool then left st else right st in let tgt := if fl then right st else left st in
  holds o g e st -> a <> Unit -> znth (flat (rval g src)) (eval e i) = Some a ->
  cross st b fl src tgt i = Some (j, cs) -> Forall (nonneg e) cs ->
  0 <= eval e j < zlen (flat (rval g tgt)) -> znth (flat (rval g tgt)) (eval e j) = Some a.
Proof.
  intros src tgt H N K D F R. destruct b, st as [[] l r|l p d], fl; cbn [cross] in D; try discriminate; injection D as <- <-; subst src tgt; cbn [left right holds] in *.
  - inversion F; subst. unfold nonneg in *. autorewrite with eval in *. eapply cross_leading; eauto.
    rewrite (eval_front g e E) in *. lia.
  - inversion F; subst. unfold nonneg in *. autorewrite with eval in *. rewrite (eval_front g e E) in *.
    replace (eval e i + 1 * eval e (rank_form l) - eval e (rank_form r)) with (eval e i + Z.of_nat (rank (rval g l)) - Z.of_nat (rank (rval g r))).
    + eapply cross_trailing; eauto. lia.
    + rewrite !rank_flat, !(zlen_flat g e E). lia.
  - rewrite <- H. exact K.
  - rewrite H. exact K.
  - autorewrite with eval in *. change (zlen (flat (rval g (one (DConst d))))) with 1 in R.
    assert (eval e i = eval e p) as Q by lia. rewrite Q, H in K. injection K as ->. now replace (_ - _) with 0 by lia.
  - autorewrite with eval in *. assert (Q := znth_range _ _ _ K). change (zlen (flat (rval g (one (DConst d))))) with 1 in Q.
    assert (Z0 : eval e i = 0) by lia. rewrite Z0 in *. cbn in K. injection K as ->. rewrite <- H. f_equal. lia.
Qed.

(** … which is what the conditions of landing imply. *)
Lemma land_range tgt p j pl cs : land_on tgt p j = Some (pl, cs) -> Forall (nonneg e) cs ->
  0 <= eval e j < zlen (flat (rval g tgt)).
Proof.
  intros D F. assert (A : forall q t, axis tgt q = Some t ->
    Forall (nonneg e) [minus j (axis_index tgt q); neg (minus j (axis_index tgt q))] -> 0 <= eval e j < zlen (flat (rval g tgt))).
  { intros q t A G. inversion G as [|? ? G1 G2]; subst. inversion G2 as [|? ? G3 _]; subst.
    unfold nonneg in *. autorewrite with eval in *. apply axis_at, znth_range in A. lia. }
  destruct p as [k| |k].
  1, 3: cbn [land_on] in D; destruct (axis tgt _) as [[v|c]|] eqn:X; try discriminate; injection D as <- <-; eauto.
  cbn [land_on] in D. destruct (rvar tgt) as [x|] eqn:V; [|discriminate]. injection D as <- <-.
  inversion F as [|? ? F1 F2]; subst. inversion F2 as [|? ? F3 _]; subst. unfold nonneg in *. autorewrite with eval in *.
  rewrite (eval_inside g e E) in *. rewrite (zlen_flat g e E). unfold rank_form. autorewrite with eval. rewrite (eval_inside g e E). unfold zlen in *. lia.
Qed.

Lemma land_sound tgt p j pl cs a : land_on tgt p j = Some (pl, cs) -> Forall (nonneg e) cs ->
  znth (flat (rval g tgt)) (eval e j) = Some a -> is_at a pl.
Proof.
  intros D F K. assert (A : forall q t, axis tgt q = Some t ->
    Forall (nonneg e) [minus j (axis_index tgt q); neg (minus j (axis_index tgt q))] -> dval g t = a).
  { intros q t A G. inversion G as [|? ? G1 G2]; subst. inversion G2 as [|? ? G3 _]; subst.
    unfold nonneg in *. autorewrite with eval in *. apply axis_at in A.
    replace (eval e (axis_index tgt q)) with (eval e j) in A by lia. congruence. }
  destruct p as [k| |k].
  1, 3: cbn [land_on] in D; destruct (axis tgt _) as [[v|c]|] eqn:X; try discriminate; injection D as <- <-; exact (A _ _ X F).
  cbn [land_on] in D. destruct (rvar tgt) as [x|] eqn:V; [|discriminate]. injection D as <- <-.
  inversion F as [|? ? F1 F2]; subst. inversion F2 as [|? ? F3 _]; subst. unfold nonneg in *. autorewrite with eval in *.
  rewrite (eval_inside g e E) in *. cbn [is_at]. autorewrite with eval. rewrite flat_rval, V in K. rewrite V in F3. cbn [mid] in *.
  rewrite znth_app2 in K by (rewrite zlen_map; lia). rewrite zlen_map, znth_app1 in K by lia. rewrite <- K. f_equal; lia.
Qed.

Variable S : list statement.
Hypothesis HS : Forall (holds o g e) S.

Theorem step_sound s w a p cs : sound_state w -> take_step S s w = Some (a, p, cs) -> Forall (nonneg e) cs -> sound_state (Some (a, p)).
Proof.
  unfold take_step. intros G D F. destruct (nth_error S (number s)) as [st|] eqn:N; [|discriminate].
  apply nth_error_In in N. eapply Forall_forall in N; [|exact HS].
  destruct (enter_side _ _ w) as [[b i]|] eqn:A; [|discriminate].
  destruct (cross _ _ _ _ _ i) as [[j cs1]|] eqn:B; [|discriminate].
  destruct (land_on _ _ j) as [[q cs2]|] eqn:C; [|discriminate]. injection D as <- <- <-.
  apply Forall_app in F as [F1 F2]. apply enter_sound in A as [A1 A2]; auto. split; auto.
  eapply land_sound; eauto. eapply cross_sound; eauto. eapply land_range; eauto.
Qed.

(** * Loops

    A round of steps, each between contents of rows. Its atom does not matter, so some atom is taken. *)
Fixpoint round (ss : list step) (x : string) (f : form) : option (string * form * list form) :=
  match ss with
  | [] => Some (x, f, [])
  | s :: ss =>
      match enter s, landing s with
      | Content, Content =>
          match take_step S s (Some (Atom 1 "", In_row x f)) with
          | Some (_, In_row y h, cs) =>
              match round ss y h with Some (z, h', cs') => Some (z, h', cs ++ cs') | None => None end
          | _ => None
          end
      | _, _ => None
      end
  end.

Lemma step_content s x f b p cs a : enter s = Content -> take_step S s (Some (b, In_row x f)) = Some (b, p, cs) ->
  take_step S s (Some (a, In_row x f)) = Some (a, p, cs).
Proof.
  unfold take_step. intros ->. destruct (nth_error S (number s)) as [st|]; [|discriminate]. cbn [enter_side].
  destruct (rvar _) as [y|]; [|discriminate]. destruct (String.eqb x y); [|discriminate].
  destruct (cross _ _ _ _ _ _) as [[j cs1]|]; [|discriminate]. destruct (land_on _ _ j) as [[q cs2]|]; [|discriminate].
  now intros [= -> ->].
Qed.
Lemma step_content_atom s x f b b' p cs : enter s = Content -> take_step S s (Some (b, In_row x f)) = Some (b', p, cs) -> b' = b.
Proof.
  unfold take_step. intros ->. destruct (nth_error S (number s)) as [st|]; [|discriminate]. cbn [enter_side].
  destruct (rvar _) as [y|]; [|discriminate]. destruct (String.eqb x y); [|discriminate].
  destruct (cross _ _ _ _ _ _) as [[j cs1]|]; [|discriminate]. destruct (land_on _ _ j) as [[q cs2]|]; [|discriminate].
  now intros [= ].
Qed.
Lemma round_sound ss : forall x f y h cs a, a <> Unit -> round ss x f = Some (y, h, cs) -> Forall (nonneg e) cs ->
  is_at a (In_row x f) -> is_at a (In_row y h).
Proof.
  induction ss as [|s ss IH]; intros x f y h cs a N; cbn [round].
  - intros [= <- <- <-]; auto.
  - destruct (enter s) eqn:En, (landing s) eqn:La; try discriminate.
    destruct (take_step S s _) as [[[b [v|z k|d]] cs1]|] eqn:D; try discriminate.
    destruct (round ss z k) as [[[y' h'] cs']|] eqn:R; [|discriminate]. intros [= <- <- <-] F H.
    apply Forall_app in F as [F1 F2]. assert (b = Atom 1 "") as -> by (eapply step_content_atom; eauto).
    eapply step_content in D; eauto. eapply IH; eauto.
    eapply (step_sound s (Some (a, In_row x f))) in D as [_ D]; eauto. now split.
Qed.

(** The places of three rounds: the middle one is i/n of the way from the first to the last. Steps keep that relation, so each
    condition of the middle round is between those of the two others. *)
Definition between (n i : Z) (f0 f1 f2 : form) : Prop := n * eval e f1 = (n - i) * eval e f0 + i * eval e f2.
Lemma between_nonneg n i c0 c1 c2 : 0 <= i <= n -> 0 < n -> n * c1 = (n - i) * c0 + i * c2 -> 0 <= c0 -> 0 <= c2 -> 0 <= c1.
Proof. intros. nia. Qed.
Lemma step_between n i s x f0 f1 f2 y0 h0 cs0 y2 h2 cs2 b : 0 <= i <= n -> 0 < n -> between n i f0 f1 f2 -> enter s = Content -> landing s = Content ->
  take_step S s (Some (b, In_row x f0)) = Some (b, In_row y0 h0, cs0) -> take_step S s (Some (b, In_row x f2)) = Some (b, In_row y2 h2, cs2) ->
  exists h1 cs1, take_step S s (Some (b, In_row x f1)) = Some (b, In_row y0 h1, cs1) /\ y2 = y0 /\ between n i h0 h1 h2 /\
    eval e h1 - eval e f1 = eval e h0 - eval e f0 /\ (Forall (nonneg e) cs0 -> Forall (nonneg e) cs2 -> Forall (nonneg e) cs1).
Proof.
  intros I P B En La. unfold take_step. rewrite En, La. destruct (nth_error S (number s)) as [st|]; [|discriminate]. cbn [enter_side].
  destruct (rvar _) as [y|]; [|discriminate]. destruct (String.eqb x y); [|discriminate].
  unfold between in *.
  destruct (by_ s), st as [[] l r|l p d], (from_left s); cbn [cross]; try discriminate;
    cbn [land_on left right]; destruct (rvar _) as [z|]; try discriminate;
    intros [= <- <- <-] [= <- <- <-]; do 2 eexists; (split; [reflexivity|]); split; auto; autorewrite with eval; cbn [rlead one] in *;
    (split; [lia|]); (split; [lia|]); intros F G;
    repeat match goal with H : Forall _ (_ :: _) |- _ => inversion H; clear H; subst end;
    unfold nonneg in *; autorewrite with eval in *; repeat (apply Forall_cons; [|]); try apply Forall_nil; autorewrite with eval; cbn [rlead one] in *;
    match goal with
    | A : 0 <= ?c0, B : 0 <= ?c2 |- 0 <= ?c1 => apply (between_nonneg n i c0 c1 c2 I P); [lia|exact A|exact B]
    end.
Qed.

Lemma round_between n i ss : forall x f0 f1 f2 y0 h0 cs0 y2 h2 cs2, 0 <= i <= n -> 0 < n -> between n i f0 f1 f2 ->
  round ss x f0 = Some (y0, h0, cs0) -> round ss x f2 = Some (y2, h2, cs2) ->
  exists h1 cs1, round ss x f1 = Some (y0, h1, cs1) /\ eval e h1 - eval e f1 = eval e h0 - eval e f0 /\
    (Forall (nonneg e) cs0 -> Forall (nonneg e) cs2 -> Forall (nonneg e) cs1).
Proof.
  induction ss as [|s ss IH]; intros x f0 f1 f2 y0 h0 cs0 y2 h2 cs2 I P B; cbn [round].
  - intros [= <- <- <-] [= <- <- <-]. exists f1, []. repeat split; auto; lia.
  - destruct (enter s) eqn:En, (landing s) eqn:La; try discriminate.
    destruct (take_step S s (Some (_, In_row x f0))) as [[[b0 [v|z0 k0|d]] c0]|] eqn:D0; try discriminate.
    destruct (round ss z0 k0) as [[[y0' h0'] c0']|] eqn:R0; [|discriminate]. intros [= <- <- <-].
    destruct (take_step S s (Some (_, In_row x f2))) as [[[b2 [v|z2 k2|d]] c2]|] eqn:D2; try discriminate.
    destruct (round ss z2 k2) as [[[y2' h2'] c2']|] eqn:R2; [|discriminate]. intros [= <- <- <-].
    assert (b0 = Atom 1 "") as -> by (eapply step_content_atom; eauto).
    assert (b2 = Atom 1 "") as -> by (eapply step_content_atom; eauto).
    destruct (step_between n i s x f0 f1 f2 _ _ _ _ _ _ _ I P B En La D0 D2) as (k1 & c1 & D1 & -> & B' & Q & F).
    destruct (IH _ _ k1 _ _ _ _ _ _ _ I P B' R0 R2) as (h1 & c1' & R1 & Q' & F').
    rewrite D1, R1. exists h1, (c1 ++ c1'). split; [reflexivity|]. split; [lia|].
    intros G0 G2. apply Forall_app in G0 as [? ?]. apply Forall_app in G2 as [? ?]. apply Forall_app; auto.
Qed.

(** Decision.4: a step between contents moves by |l| - |l'| counted from the left, and across the trailing axes of [<=] by a further
    difference of the ranks, wherever the walk is … *)
Theorem step_shift s x f y h cs a b st : nth_error S (number s) = Some st -> enter s = Content -> landing s = Content ->
  take_step S s (Some (a, In_row x f)) = Some (b, In_row y h, cs) ->
  let src := if from_left s then left st else right st in let tgt := if from_left s then right st else left st in
  eval e h - eval e f = zlen (rlead src) - zlen (rlead tgt) +
    match by_ s with By_trailing => zlen (flat (rval g tgt)) - zlen (flat (rval g src)) | _ => 0 end.
Proof.
  assert (L := zlen_flat g e E). unfold take_step. intros -> -> ->. cbn [enter_side].
  destruct (by_ s), st as [[] l r|l p d], (from_left s); cbn [cross left right rvar one]; try discriminate;
    match goal with |- context[rvar ?R] => destruct (rvar R) as [z|]; try discriminate end;
    destruct (String.eqb x z); try discriminate; cbn [land_on rvar]; try discriminate;
    match goal with |- context[rvar ?R] => destruct (rvar R) as [w|]; try discriminate end;
    intros [= <- <- <- <-]; rewrite ?L; autorewrite with eval; lia.
Qed.

(** … so a sequence of steps moves by the same number of places from each place. *)
Theorem round_shift ss : forall x f f' y h cs y' h' cs',
  round ss x f = Some (y, h, cs) -> round ss x f' = Some (y', h', cs') ->
  y' = y /\ eval e h' - eval e f' = eval e h - eval e f.
Proof.
  induction ss as [|s ss IH]; intros x f f' y h cs y' h' cs'; cbn [round].
  - intros [= <- <- <-] [= <- <- <-]. split; auto. lia.
  - destruct (enter s) eqn:En, (landing s) eqn:La; try discriminate.
    destruct (take_step S s (Some (_, In_row x f))) as [[[b0 [v|z0 k0|d]] c0]|] eqn:D0; try discriminate.
    destruct (round ss z0 k0) as [[[y0 h0] c0']|] eqn:R0; [|discriminate]. intros [= <- <- <-].
    destruct (take_step S s (Some (_, In_row x f'))) as [[[b2 [v|z2 k2|d]] c2]|] eqn:D2; try discriminate.
    destruct (round ss z2 k2) as [[[y2 h2] c2']|] eqn:R2; [|discriminate]. intros [= <- <- <-].
    assert (b0 = Atom 1 "") as -> by (eapply step_content_atom; eauto).
    assert (b2 = Atom 1 "") as -> by (eapply step_content_atom; eauto).
    assert (B : between 1 0 f f f') by (unfold between; lia).
    destruct (step_between 1 0 s x f f f' _ _ _ _ _ _ _ ltac:(lia) ltac:(lia) B En La D0 D2) as (k1 & c1 & _ & -> & B' & _).
    assert (N : exists st, nth_error S (number s) = Some st).
    { unfold take_step in D0. destruct (nth_error S (number s)) as [st|]; [eauto | discriminate]. }
    destruct N as [st N].
    assert (M0 := step_shift s x f _ _ _ _ _ st N En La D0). assert (M2 := step_shift s x f' _ _ _ _ _ st N En La D2).
    destruct (IH _ _ k2 _ _ _ _ _ _ R0 R2) as [-> Q]. split; auto. cbn zeta in M0, M2. lia.
Qed.

(** Decision.5: a condition is linear in the place, and so in the round; it holds in all rounds iff in the first and in the last. *)
Theorem linear_rounds a b first d k : 1 <= k ->
  ((forall i, 0 <= i < k -> 0 <= a + b * (first + i * d)) <->
   0 <= a + b * first /\ 0 <= a + b * (first + (k - 1) * d)).
Proof.
  intros K. split.
  - intros H. assert (H0 := H 0 ltac:(lia)). specialize (H (k - 1) ltac:(lia)). split; [|exact H]. lia.
  - intros [F L] i I. destruct (Z.eq_dec k 1) as [->|N]; [replace i with 0 by lia; lia|].
    apply (between_nonneg (k - 1) i (a + b * first) _ (a + b * (first + (k - 1) * d))); try lia; auto.
Qed.

(** A part of a walk: a step, or a loop, which is a round of steps with the distance that one round leads and the number of rounds. *)
Inductive part := Single (s : step) | Loop (ss : list step) (drift : Z) (times : form).
Definition take_loop (ss : list step) (drift : Z) (times : form) (x : string) (first : form) : option (form * list form) :=
  let after := add_times first drift times in
  match round ss x first, round ss x (shift after (- drift)) with
  | Some (y, h, cs), Some (_, _, cs') =>
      if String.eqb x y then
        let d := shift (minus h first) (- drift) in Some (after, shift times (-1) :: d :: neg d :: cs ++ cs')
      else None
  | _, _ => None
  end.
Definition take_part (p : part) (w : state) : option (dim * place * list form) :=
  match p, w with
  | Single s, _ => take_step S s w
  | Loop ss d k, Some (a, In_row x f) =>
      match take_loop ss d k x f with Some (f', cs) => Some (a, In_row x f', cs) | None => None end
  | _, _ => None
  end.

(** The loop rule: the conditions of the first and of the last round are enough. *)
Lemma loop_sound ss d k x f f' cs a : a <> Unit -> take_loop ss d k x f = Some (f', cs) -> Forall (nonneg e) cs ->
  is_at a (In_row x f) -> is_at a (In_row x f').
Proof.
  unfold take_loop. intros N D F H. destruct (round ss x f) as [[[y h] cs0]|] eqn:R0; [|discriminate].
  destruct (round ss x (shift _ _)) as [[[y2 h2] cs2]|] eqn:R2; [|discriminate].
  destruct (String.eqb_spec x y) as [<-|]; [|discriminate]. injection D as <- <-.
  inversion F as [|? ? K F1]; subst. inversion F1 as [|? ? D1 F2]; subst. inversion F2 as [|? ? D2 F3]; subst.
  apply Forall_app in F3 as [C0 C2]. unfold nonneg in K, D1, D2. autorewrite with eval in *.
  assert (L : forall i, 0 <= i -> i <= eval e k -> is_at a (In_row x (shift f (i * d)))).
  { apply (natlike_ind (fun i => i <= eval e k -> is_at a (In_row x (shift f (i * d))))).
    - intros _. cbn [is_at] in *. autorewrite with eval. now rewrite Z.add_0_r.
    - intros i P IH Q. specialize (IH ltac:(lia)).
      set (n := Z.max 1 (eval e k - 1)).
      destruct (round_between n i ss x f (shift f (i * d)) (if eval e k =? 1 then f else shift (add_times f d k) (- d)) x h cs0
        (if eval e k =? 1 then x else y2) (if eval e k =? 1 then h else h2) (if eval e k =? 1 then cs0 else cs2)) as (h1 & cs1 & R1 & Q1 & F1'); auto; try (subst n; lia).
      + unfold between. autorewrite with eval. destruct (Z.eqb_spec (eval e k) 1).
        * assert (i = 0) by lia. subst i. lia.
        * autorewrite with eval. subst n. rewrite Z.max_r by lia. nia.
      + destruct (eval e k =? 1); auto.
      + assert (G : Forall (nonneg e) cs1) by (destruct (eval e k =? 1); auto).
        eapply round_sound in R1; eauto. cbn [is_at] in *. rewrite <- R1. f_equal. autorewrite with eval in *. lia. }
  specialize (L (eval e k) ltac:(lia) ltac:(lia)). cbn [is_at] in *. rewrite <- L. f_equal. autorewrite with eval. lia.
Qed.

(** * Walks *)

Theorem part_sound p w a q cs : sound_state w -> take_part p w = Some (a, q, cs) -> Forall (nonneg e) cs -> sound_state (Some (a, q)).
Proof.
  destruct p as [s|ss d k]; cbn [take_part]; [apply step_sound|].
  intros G D F. destruct w as [[b [v|x f|c]]|]; try discriminate.
  destruct (take_loop ss d k x f) as [[f' cs']|] eqn:L; [|discriminate]. injection D as <- <- <-.
  destruct G as [N G]. split; auto. eapply loop_sound; eauto.
Qed.

Fixpoint take_walk (ps : list part) (w : state) : option (state * list form) :=
  match ps with
  | [] => Some (w, [])
  | p :: ps =>
      match take_part p w with
      | None => None
      | Some (a, q, cs) => match take_walk ps (Some (a, q)) with Some (w', cs') => Some (w', cs ++ cs') | None => None end
      end
  end.
Theorem walk_sound ps : forall w w' cs, sound_state w -> take_walk ps w = Some (w', cs) -> Forall (nonneg e) cs -> sound_state w'.
Proof.
  induction ps as [|p ps IH]; intros w w' cs G; cbn [take_walk]; [now intros [= <- <-]|].
  destruct (take_part p w) as [[[a q] c]|] eqn:D; [|discriminate].
  destruct (take_walk ps (Some (a, q))) as [[w1 c1]|] eqn:W; [|discriminate]. intros [= <- <-] F.
  apply Forall_app in F as [F1 F2]. exact (IH _ _ _ (part_sound _ _ _ _ _ G D F1) W F2).
Qed.

(** * Clashes

    One walk to a written axis that is another axis, or two walks of different atoms to one place. Where the conditions hold there is
    no solution. *)
Definition clash_conditions (walks : list (list part)) : option (list form) :=
  match walks with
  | [w] =>
      match take_walk w None with
      | Some (Some (a, Written d), cs) => if dim_eqb a d then None else Some cs
      | _ => None
      end
  | [w; w'] =>
      match take_walk w None, take_walk w' None with
      | Some (Some (a, In_dim v), cs), Some (Some (b, In_dim v'), cs') =>
          if negb (dim_eqb a b) && String.eqb v v' then Some (cs ++ cs') else None
      | Some (Some (a, In_row x f), cs), Some (Some (b, In_row x' f'), cs') =>
          if negb (dim_eqb a b) && String.eqb x x' then Some (cs ++ cs' ++ [minus f f'; neg (minus f f')]) else None
      | _, _ => None
      end
  | _ => None
  end.
Theorem clash_sound walks cs : clash_conditions walks = Some cs -> ~ Forall (nonneg e) cs.
Proof.
  unfold clash_conditions. destruct walks as [|w [|w' [|]]]; try discriminate.
  - destruct (take_walk w None) as [[[[a [v|x f|d]]|] c]|] eqn:W; try discriminate.
    destruct (dim_eqb a d) eqn:Q; [discriminate|]. intros [= <-] F.
    pose proof (walk_sound _ None _ _ I W F) as HW. destruct HW as [_ HW]; cbn in HW.
    symmetry in HW. apply dim_eqb_spec in HW. congruence.
  - destruct (take_walk w None) as [[[[a [v|x f|d]]|] c]|] eqn:W; try discriminate;
    destruct (take_walk w' None) as [[[[b [v'|x' f'|d']]|] c']|] eqn:W'; try discriminate;
    destruct (dim_eqb a b) eqn:Q; cbn [negb andb]; try discriminate;
    match goal with |- context[String.eqb ?x ?y] => destruct (String.eqb_spec x y) as [<-|]; try discriminate end; intros [= <-] F;
    assert (NE : a <> b) by (rewrite <- dim_eqb_spec; congruence).
    + apply Forall_app in F as [F F']. pose proof (walk_sound _ None _ _ I W F) as HW. pose proof (walk_sound _ None _ _ I W' F') as HW'.
      destruct HW as [_ HW], HW' as [_ HW']; cbn [is_at] in *. congruence.
    + apply Forall_app in F as [F F']. apply Forall_app in F' as [F' F'']. pose proof (walk_sound _ None _ _ I W F) as HW. pose proof (walk_sound _ None _ _ I W' F') as HW'.
      destruct HW as [_ HW], HW' as [_ HW']; cbn [is_at] in *.
      inversion F'' as [|? ? G G']; subst. inversion G' as [|? ? G'' _]; subst. unfold nonneg in *. autorewrite with eval in *.
      replace (eval e f') with (eval e f) in HW' by lia. congruence.
Qed.
End Sound.
