(** The checker of refutations, and its soundness: if it accepts, there is no solution. *)
From Coq Require Import List String ZArith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction certificate.Form certificate.Statement certificate.Walk.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** An inequality that a sum may use, by the name that the certificate gives it. *)
Inductive named_inequality := Natural (v : lvar) | Length (c p : nat) | Quotient (n p : nat) | Case (n : nat) | Assumed (d : nat).
(** The tree of cases over the lengths, which the reader builds from the list of nodes. Whatever it builds, an accepted tree is a
    proof. *)
Inductive tree := Sum (ts : list (named_inequality * Z)) | Clash (n : nat) | Split (f : form) (negative other : tree).
(** The content of a certificate: quotients, clashes as lists of walks, and the tree. *)
Record refutation := Refutation { quotients : list (form * Z); clashes : list (list (list part)); root : tree }.

Definition is_natural (v : lvar) : bool := match v with LX _ | LY _ | LP => true | _ => false end.

Section Checker.
Variables (o : order) (S : list statement) (assumed : list form).

(** Quotient n is [q = form / by]: two inequalities. The form may mention lengths and earlier quotients. *)
Fixpoint define_quotients (n : nat) (qs : list (form * Z)) : option (list (form * form)) :=
  match qs with
  | [] => Some []
  | (f, d) :: qs =>
      if (1 <=? d) && forallb (fun p => match fst p with LQ m => Nat.ltb m n | v => is_natural v end) (terms f) then
        match define_quotients (Datatypes.S n) qs with
        | Some r => let rest := add_times f (- d) (variable (LQ n)) in Some ((rest, shift (neg rest) (d - 1)) :: r)
        | None => None
        end
      else None
  end.

Variables (quots : list (form * form)) (clashes' : list (list form)).
(** The inequality with this name. *)
Definition inequality (path : list form) (i : named_inequality) : option form :=
  match i with
  | Natural v => if is_natural v then Some (variable v) else None
  | Length c p => match nth_error S c with Some s => length_part o s p | None => None end
  | Quotient n p => match nth_error quots n, p with Some (a, _), 0%nat => Some a | Some (_, b), 1%nat => Some b | _, _ => None end
  | Case n => nth_error assumed n
  | Assumed d => nth_error path d
  end.
(** The sum of inequalities, each with its factor. *)
Fixpoint sum (path : list form) (ts : list (named_inequality * Z)) : option form :=
  match ts with
  | [] => Some (number_form 0)
  | (i, k) :: ts =>
      if k <? 0 then None else
      match inequality path i, sum path ts with Some f, Some s => Some (add_times s k (rounded f)) | _, _ => None end
  end.
(** A condition holds on a path if it is a number that is not negative, or one of the assumptions. *)
Definition follows (path : list form) (c : form) : bool :=
  match as_num c with
  | Some k => 0 <=? k
  | None => existsb (fun a => form_eqb (rounded a) (rounded c)) path
  end.
(** The check that each leaf contradicts the assumptions on the way to it, from the root on. *)
Fixpoint check_tree (path : list form) (t : tree) : bool :=
  match t with
  | Sum ts => match sum path ts with Some f => match as_num f with Some k => k <? 0 | None => false end | None => false end
  | Clash n => match nth_error clashes' n with Some cs => forallb (follows path) cs | None => false end
  | Split f a b => check_tree (path ++ [shift (neg f) (-1)]) a && check_tree (path ++ [f]) b
  end.

Variables (g : val) (e : env).
Hypothesis (E : env_of g e) (HS : Forall (holds o g e) S) (HA : Forall (nonneg e) assumed).
Hypothesis HQ : Forall (fun q => nonneg e (fst q) /\ nonneg e (snd q)) quots.
Hypothesis HC : Forall (fun cs => ~ Forall (nonneg e) cs) clashes'.

Lemma inequality_sound path i f : Forall (nonneg e) path -> inequality path i = Some f -> nonneg e f.
Proof.
  intros P. destruct i as [v|c p|n p|n|d]; cbn [inequality].
  - destruct v as [r|r| | |]; cbn; try discriminate; intros [= <-]; unfold nonneg; rewrite eval_fvar; try apply E;
      [rewrite (proj1 (proj1 E r))|rewrite (proj2 (proj1 E r))]; unfold zlen; lia.
  - destruct (nth_error S c) as [s|] eqn:N; [|discriminate]. intros K. eapply length_sound; eauto.
    apply nth_error_In in N. eapply Forall_forall in N; eauto.
  - destruct (nth_error quots n) as [[a b]|] eqn:N; [|discriminate]. apply nth_error_In in N.
    eapply Forall_forall in N; eauto. destruct p as [|[|]]; try discriminate; intros [= <-]; apply N.
  - intros N%nth_error_In. eapply Forall_forall in N; eauto.
  - intros N%nth_error_In. eapply Forall_forall in N; eauto.
Qed.
Lemma sum_sound path ts : forall f, Forall (nonneg e) path -> sum path ts = Some f -> nonneg e f.
Proof.
  unfold nonneg. induction ts as [|[i k] ts IH]; cbn [sum]; intros f P.
  - intros [= <-]. cbn. lia.
  - destruct (Z.ltb_spec k 0); [discriminate|]. destruct (inequality path i) as [h|] eqn:I; [|discriminate].
    destruct (sum path ts) as [s|]; [|discriminate]. intros [= <-]. specialize (IH s P eq_refl).
    apply inequality_sound in I; auto. apply rounded_nonneg in I. rewrite eval_plus. nia.
Qed.
Lemma follows_sound path c : Forall (nonneg e) path -> follows path c = true -> nonneg e c.
Proof.
  unfold follows. destruct (as_num c) as [k|] eqn:N; intros P.
  - intros Q. unfold nonneg. rewrite (as_num_eval e _ _ N). lia.
  - intros (a & A & Q)%existsb_exists. eapply Forall_forall in A; eauto.
    apply (form_eqb_eval e) in Q. apply rounded_nonneg. rewrite <- Q. now apply rounded_nonneg.
Qed.
Theorem tree_sound t : forall path, Forall (nonneg e) path -> check_tree path t = true -> False.
Proof.
  induction t as [ts|n|f a IHa b IHb]; intros path P; cbn [check_tree].
  - destruct (sum path ts) as [f|] eqn:Q; [|discriminate]. destruct (as_num f) as [k|] eqn:N; [|discriminate].
    apply sum_sound in Q; auto. unfold nonneg in Q. rewrite (as_num_eval e _ _ N) in Q. lia.
  - destruct (nth_error clashes' n) as [cs|] eqn:N; [|discriminate]. apply nth_error_In in N.
    eapply Forall_forall in N; eauto. intros Q. apply N. apply Forall_forall. intros c C.
    eapply forallb_forall in C; eauto. eapply follows_sound; eauto.
  - intros [A B]%andb_true_iff. destruct (Z_lt_le_dec (eval e f) 0) as [L|L].
    + eapply IHa; [|exact A]. apply Forall_app; split; auto. constructor; auto. unfold nonneg. autorewrite with eval. lia.
    + eapply IHb; [|exact B]. apply Forall_app; split; auto.
Qed.
End Checker.

(** The check that a condition may hold: it is no negative number. A clash with another one is refused, although it
    would be harmless. *)
Definition possible (f : form) : bool := match as_num f with Some k => 0 <=? k | None => true end.

(** The checker: it accepts if no valuation satisfies the statements at lengths at which the assumed forms are not negative. *)
Definition refutes (o : order) (S : list statement) (assumed : list form) (c : refutation) : bool :=
  match define_quotients 0 (quotients c), sequence (map (clash_conditions S) (clashes c)) with
  | Some qs, Some cs => forallb (forallb possible) cs && check_tree o S assumed qs cs [] (root c)
  | _, _ => false
  end.

(** Values of the quotients. *)
Definition upd (e : env) (n : nat) (z : Z) : env := fun v => match v with LQ m => if Nat.eqb m n then z else e v | _ => e v end.
Fixpoint with_quotients (e : env) (n : nat) (qs : list (form * Z)) : env :=
  match qs with [] => e | (f, d) :: qs => with_quotients (upd e n (eval e f / d)) (S n) qs end.
Lemma with_quotients_below qs : forall e n m, (m < n)%nat -> with_quotients e n qs (LQ m) = e (LQ m).
Proof.
  induction qs as [|[f d] qs IH]; intros e n m H; cbn [with_quotients]; auto.
  rewrite IH by lia. cbn. destruct (Nat.eqb_spec m n); auto; lia.
Qed.
Lemma with_quotients_other qs : forall e n v, (forall m, v <> LQ m) -> with_quotients e n qs v = e v.
Proof.
  induction qs as [|[f d] qs IH]; intros e n v H; cbn [with_quotients]; auto.
  rewrite IH by auto. destruct v; auto. congruence.
Qed.
Lemma eval_ext e e' f : (forall p, In p (terms f) -> e (fst p) = e' (fst p)) -> eval e f = eval e' f.
Proof.
  unfold eval. induction (terms f) as [|[v k] ts IH]; cbn [tsum]; intros H; auto.
  pose proof (H (v, k) (or_introl eq_refl)) as Q. cbn [fst] in Q. rewrite Q, <- !Z.add_assoc, IH; auto.
  intros; apply H; now right.
Qed.
Lemma quotients_sound qs : forall e n r, define_quotients n qs = Some r ->
  let e' := with_quotients e n qs in Forall (fun q => nonneg e' (fst q) /\ nonneg e' (snd q)) r.
Proof.
  induction qs as [|[f d] qs IH]; intros e n r; cbn [define_quotients with_quotients].
  - intros [= <-]. constructor.
  - destruct (Z.leb_spec 1 d); [|discriminate]. cbn [andb].
    destruct (forallb _ (terms f)) eqn:K; [|discriminate].
    destruct (define_quotients (S n) qs) as [r'|] eqn:Q; [|discriminate]. intros [= <-].
    set (e1 := upd e n (eval e f / d)). constructor; [|now apply IH].
    assert (V : with_quotients e1 (S n) qs (LQ n) = eval e f / d).
    { rewrite with_quotients_below by lia. subst e1. cbn. now rewrite Nat.eqb_refl. }
    assert (Ef : eval (with_quotients e1 (S n) qs) f = eval e f).
    { apply eval_ext. intros [v k] P. eapply forallb_forall in K; eauto. cbn [fst] in *. destruct v; try discriminate K;
        try (rewrite with_quotients_other by congruence; reflexivity).
      apply Nat.ltb_lt in K. rewrite with_quotients_below by lia. subst e1. cbn. destruct (Nat.eqb_spec n0 n); auto; lia. }
    cbn [fst snd]. unfold nonneg. autorewrite with eval. rewrite V, Ef.
    assert (M := Z.mod_pos_bound (eval e f) d ltac:(lia)). assert (D := Z.div_mod (eval e f) d ltac:(lia)). lia.
Qed.

(** No position P and no valuation satisfies the statements and the assumed forms; forms of a case mention no quotient. *)
Theorem refutes_sound o S assumed c : refutes o S assumed c = true ->
  forall g p, 0 <= p ->
    let e := with_quotients (base g p) 0 (quotients c) in
    Forall (holds o g e) S -> Forall (nonneg e) assumed -> False.
Proof.
  unfold refutes. destruct (define_quotients 0 (quotients c)) as [qs|] eqn:Q; [|discriminate].
  destruct (sequence _) as [cs|] eqn:C; [|discriminate]. intros [_ T]%andb_true_iff g p P.
  set (e := with_quotients (base g p) 0 (quotients c)). intros HS HA.
  assert (E : env_of g e).
  { split; [intros x; split|]; unfold e; rewrite with_quotients_other by congruence; cbn; auto. }
  refine (tree_sound o S assumed qs cs g e E HS HA _ _ (root c) [] (Forall_nil _) T).
  - now apply quotients_sound.
  - apply Forall_forall. intros l L. eapply sequence_in in L; eauto. apply in_map_iff in L as (w & W & _).
    eapply clash_sound; eauto.
Qed.

(** The theorem of the checker. *)
Definition check_unsat (o : order) (S : list constr) (c : refutation) : bool := refutes o (map of_constr S) [] c.
Theorem check_unsat_sound o S c : check_unsat o S c = true -> forall g, ~ sol o S g.
Proof.
  intros T g H. eapply (refutes_sound o (map of_constr S) [] c T g 0); auto; [lia|].
  apply Forall_map. eapply Forall_impl; [|exact H]. intros a. apply of_constr_holds.
Qed.
