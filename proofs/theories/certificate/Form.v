(** Linear forms over the integers, and their rounding (Decision.7). *)
From Coq Require Import List String ZArith Lia Bool.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** A variable of a form: the lengths [X r] and [Y r] of the flanks of a row variable's value, the position [P] of a case, a
    quotient, or any other name, which stands for an arbitrary number. *)
Inductive lvar := LX (r : string) | LY (r : string) | LP | LQ (n : nat) | LOther (s : string).
Definition lvar_eqb (v w : lvar) : bool :=
  match v, w with
  | LX a, LX b | LY a, LY b | LOther a, LOther b => String.eqb a b
  | LP, LP => true
  | LQ n, LQ m => Nat.eqb n m
  | _, _ => false
  end.
Lemma lvar_eqb_eq v w : lvar_eqb v w = true -> v = w.
Proof. destruct v, w; simpl; try discriminate; auto; rewrite ?String.eqb_eq, ?Nat.eqb_eq; congruence. Qed.

Definition env := lvar -> Z.
(** A linear form. Two forms are equal if their difference has no terms, so no normal form is needed. *)
Record form := Form { terms : list (lvar * Z); const : Z }.
Fixpoint tsum (e : env) (ts : list (lvar * Z)) : Z :=
  match ts with [] => 0 | (v, k) :: ts => k * e v + tsum e ts end.
Definition eval (e : env) (f : form) : Z := tsum e (terms f) + const f.

Fixpoint add_term (v : lvar) (k : Z) (ts : list (lvar * Z)) : list (lvar * Z) :=
  match ts with
  | [] => if k =? 0 then [] else [(v, k)]
  | (w, j) :: ts => if lvar_eqb v w then (let s := j + k in if s =? 0 then ts else (w, s) :: ts) else (w, j) :: add_term v k ts
  end.
Lemma add_term_sum e v k ts : tsum e (add_term v k ts) = k * e v + tsum e ts.
Proof.
  induction ts as [|[w j] ts IH]; cbn [add_term tsum].
  - destruct (Z.eqb_spec k 0); cbn; subst; lia.
  - destruct (lvar_eqb v w) eqn:E.
    + apply lvar_eqb_eq in E as ->. destruct (Z.eqb_spec (j + k) 0); cbn; nia.
    + cbn. rewrite IH. lia.
Qed.

(** [f + k·g]. *)
Definition add_times (f : form) (k : Z) (g : form) : form :=
  Form (fold_right (fun p ts => add_term (fst p) (k * snd p) ts) (terms f) (terms g)) (const f + k * const g).
Definition number_form (c : Z) : form := Form [] c.
Definition variable (v : lvar) : form := Form [(v, 1)] 0.
Definition shift (f : form) (c : Z) : form := Form (terms f) (const f + c).
Definition minus (f g : form) : form := add_times f (-1) g.
Definition neg (f : form) : form := add_times (number_form 0) (-1) f.

Lemma eval_plus e f k g : eval e (add_times f k g) = eval e f + k * eval e g.
Proof.
  unfold eval, add_times; cbn [terms const]. induction (terms g) as [|[v c] ts IH]; cbn [fold_right tsum fst snd].
  - ring.
  - rewrite add_term_sum. rewrite <- Z.add_assoc, IH. ring.
Qed.
Lemma eval_num e c : eval e (number_form c) = c. Proof. reflexivity. Qed.
Lemma eval_fvar e v : eval e (variable v) = e v. Proof. unfold eval, variable, shift; cbn [terms const tsum]; lia. Qed.
Lemma eval_shift e f c : eval e (shift f c) = eval e f + c. Proof. unfold eval, variable, shift; cbn [terms const tsum]; lia. Qed.
Lemma eval_minus e f g : eval e (minus f g) = eval e f - eval e g.
Proof. unfold minus; rewrite eval_plus; lia. Qed.
Lemma eval_neg e f : eval e (neg f) = - eval e f.
Proof. unfold neg; rewrite eval_plus, eval_num; lia. Qed.
#[global] Hint Rewrite eval_plus eval_num eval_fvar eval_shift eval_minus eval_neg : eval.

(** The value of a form without variables. *)
Definition as_num (f : form) : option Z := match terms f with [] => Some (const f) | _ => None end.
Lemma as_num_eval e f c : as_num f = Some c -> eval e f = c.
Proof. unfold as_num, eval. destruct (terms f); cbn; intros [= <-]; auto. Qed.

Definition form_eqb (f g : form) : bool := match as_num (minus f g) with Some 0 => true | _ => false end.
Lemma form_eqb_eval e f g : form_eqb f g = true -> eval e f = eval e g.
Proof.
  unfold form_eqb. destruct (as_num (minus f g)) as [[| |]|] eqn:E; try discriminate.
  apply (as_num_eval e) in E. rewrite eval_minus in E. lia.
Qed.

(** The common divisor of the coefficients. *)
Definition content (ts : list (lvar * Z)) : Z := fold_right (fun p a => Z.gcd (snd p) a) 0 ts.
(** The form that is equivalent to [f ≥ 0] over the integers: divided by that divisor, with the constant rounded down. *)
Definition rounded (f : form) : form :=
  let d := content (terms f) in
  if 1 <? d then Form (map (fun p => (fst p, snd p / d)) (terms f)) (const f / d) else f.
Lemma content_divides ts v k : In (v, k) ts -> (content ts | k).
Proof.
  induction ts as [|[w j] ts IH]; cbn; [tauto|]. intros [[= -> ->]|H].
  - apply Z.gcd_divide_l.
  - eapply Z.divide_trans; [apply Z.gcd_divide_r|auto].
Qed.
Lemma rounded_nonneg e f : 0 <= eval e (rounded f) <-> 0 <= eval e f.
Proof.
  unfold rounded. set (d := content (terms f)). destruct (Z.ltb_spec 1 d) as [H|]; [|tauto].
  assert (K : forall ts, (forall v k, In (v, k) ts -> (d | k)) ->
    tsum e ts = d * tsum e (map (fun p => (fst p, snd p / d)) ts)).
  { induction ts as [|[v k] ts IH]; cbn [map tsum fst snd]; intros D; [lia|].
    rewrite IH by (intros; eapply D; right; eauto). destruct (D v k (or_introl eq_refl)) as [q ->].
    rewrite Z.div_mul by lia. lia. }
  unfold eval; cbn [terms const]. rewrite (K (terms f)) by (intros; now apply content_divides with v).
  set (s := tsum e (map _ _)). assert (M := Z.mod_pos_bound (const f) d ltac:(lia)).
  assert (E := Z.div_mod (const f) d ltac:(lia)). nia.
Qed.

Definition nonneg (e : env) (f : form) : Prop := 0 <= eval e f.

(** * Decision.7: the rules of the tree, as statements about numbers *)

Theorem quotient_unique f d : 1 <= d -> exists q, (0 <= f - d * q /\ 0 <= d * q + d - 1 - f) /\
  forall p, 0 <= f - d * p -> 0 <= d * p + d - 1 - f -> p = q.
Proof.
  intros D. exists (f / d). assert (M := Z.mod_pos_bound f d ltac:(lia)). assert (E := Z.div_mod f d ltac:(lia)).
  split; [lia|]. intros p A B. nia.
Qed.
Theorem round_down g h c : 1 <= g -> (0 <= g * h + c <-> 0 <= h + c / g).
Proof.
  intros G. assert (M := Z.mod_pos_bound c g ltac:(lia)). assert (E := Z.div_mod c g ltac:(lia)). nia.
Qed.
Theorem split_cases f : (0 <= f \/ 0 <= - f - 1) /\ ~ (0 <= f /\ 0 <= - f - 1).
Proof. lia. Qed.
Theorem sum_nonneg (fs : list (Z * Z)) : Forall (fun p => 0 <= fst p /\ 0 <= snd p) fs ->
  0 <= fold_right (fun p sum => fst p * snd p + sum) 0 fs.
Proof. induction 1 as [|[k f] fs [A B] _ IH]; simpl in *; nia. Qed.
