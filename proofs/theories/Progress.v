(** Def. 4.4: a constraint in flight can always be taken, so that a run that cannot go on has succeeded or fails. *)
From Coq Require Import List FinFun String Ascii Lia Arith.
From Lozenge Require Import Lists Dim Row Term Satisfaction Rules Equations Calculus.
Import ListNotations.
Open Scope nat_scope.
Open Scope list_scope.
Notation length := List.length.

(** * Names that are not taken *)

Fixpoint name (n : nat) : string := match n with 0 => EmptyString | S n => String "x"%char (name n) end.
Lemma name_length n : String.length (name n) = n.
Proof. induction n; simpl; congruence. Qed.
Definition longest (N : list string) : nat := fold_right (fun n m => Nat.max (String.length n) m) 0 N.
Lemma longest_bound N n : In n N -> String.length n <= longest N.
Proof. induction N as [|m N IH]; simpl; [tauto|]. intros [->|I]; [lia|]. specialize (IH I). lia. Qed.
Definition fresh (N : list string) (k : nat) : list string := map (fun i => name (S (longest N + i))) (seq 0 k).
Lemma fresh_length N k : length (fresh N k) = k.
Proof. unfold fresh. now rewrite map_length, seq_length. Qed.
Lemma fresh_nodup N k : NoDup (fresh N k).
Proof.
  unfold fresh. apply Injective_map_NoDup; [|apply seq_NoDup]. intros i j E.
  apply (f_equal String.length) in E. rewrite !name_length in E. lia.
Qed.
Lemma fresh_new N k n : In n (fresh N k) -> ~ In n N.
Proof.
  unfold fresh. intros I J. apply in_map_iff in I as (i & <- & _). apply longest_bound in J. rewrite name_length in J. lia.
Qed.

(** * Each constraint has a rule *)

(** A rule that fires on a constraint, or on an equality turned around, or a contradiction. *)
Definition has_rule (B : list constr) (N : list string) (c : constr) : Prop := exists d, turned c d /\
  (clash d \/ (exists E S, replaces B d E S) \/
   exists k E b M, k <> Choice /\ binds_by k d E b M /\ forall n, In n M -> ~ In n N).

Lemma replaced B N c E S : replaces B c E S -> has_rule B N c.
Proof. intros H. exists c. split; [apply as_it_is | right; left; eauto]. Qed.
Lemma clashes B N c : clash c -> has_rule B N c.
Proof. intros H. exists c. split; [apply as_it_is | auto]. Qed.
Lemma bound B N k c E b : k <> Choice -> binds_by k c E b [] -> has_rule B N c.
Proof. intros K H. exists c. split; [apply as_it_is|]. right. right. exists k, E, b, []. repeat split; auto. Qed.
Lemma turned_rule B N c d : turned c d -> (forall e, turned d e -> turned c e) -> has_rule B N d -> has_rule B N c.
Proof. intros _ H (e & T & R). exists e. auto. Qed.
Lemma turned_eq B N R R' : has_rule B N (REq R' R) -> has_rule B N (REq R R').
Proof. apply turned_rule; [constructor|]. intros e T. inversion T; subst; constructor. Qed.

Lemma dims_eq_rule B N t u : has_rule B N (DEq t u).
Proof.
  destruct (dterm_eq_dec t u) as [->|Ne]; [eapply replaced, by_de_refl|].
  destruct t as [a|d]; [eapply (bound _ _ Semantic); [discriminate|]; apply by_de_bind; congruence|].
  destruct u as [a|e].
  - apply (turned_rule _ _ _ (DEq (DVar a) (DConst d))); [constructor| |].
    + intros e T. inversion T; subst; constructor.
    + eapply (bound _ _ Semantic); [discriminate|]. apply by_de_bind. discriminate.
  - apply clashes, clash_de. congruence.
Qed.
Lemma stored_atom_dec B a : {d | In (DLe (DConst d) (DVar a)) B} + {forall d, ~ In (DLe (DConst d) (DVar a)) B}.
Proof.
  induction B as [|c B [[d I]|N]]; [right; intros d []| left; exists d; now right|].
  destruct c as [t u|[m|d] [n|e]|R R'|R R']; try (right; intros x [E|I]; [discriminate E | exact (N x I)]).
  destruct (string_dec n a) as [->|Ne]; [left; exists d; now left|].
  right. intros x [E|I]; [congruence | exact (N x I)].
Qed.
Lemma dims_le_rule B N t u : has_rule B N (DLe t u).
Proof.
  destruct (dterm_eq_dec t u) as [->|Ne]; [eapply replaced, by_di_refl|].
  destruct u as [b|e].
  - destruct t as [a|d]; [eapply replaced, (by_di_adj B a b []); [congruence | intros c []]|].
    destruct (dim_eq_dec d Unit) as [->|Nu]; [eapply replaced, by_di_pin_top|].
    destruct (stored_atom_dec B b) as [[d' I]|No].
    + destruct (dim_eq_dec d d') as [->|Nd]; [eapply replaced, by_di_cap_again; eauto | eapply replaced, by_di_cap_two; eauto].
    + eapply replaced, (by_di_cap B d b []); auto. intros c [].
  - destruct (dim_eq_dec e Unit) as [->|Nu]; [eapply replaced, by_di_top|].
    destruct t as [a|d]; [eapply replaced, by_di_pin; auto|].
    apply clashes, clash_di. unfold dim_le. intuition congruence.
Qed.

Lemma total R : length (flat_term R) = length (rlead R) + length (rtrail R).
Proof. apply app_length. Qed.
Lemma content_rule B N R R' x : rvar R = Some x -> rvar R' = None -> has_rule B N (REq R R').
Proof.
  intros E E'. destruct (lt_eq_lt_dec (length (flat_term R)) (length (flat_term R'))) as [[L|L]|L].
  - eapply (bound _ _ Placement); [discriminate|]. apply (by_re_placed R R' x (middle R R') []); auto. apply app_nil_r.
  - eapply (bound _ _ Semantic); [discriminate|]. apply (by_re_nothing R R' x); auto.
  - now apply clashes, clash_overflow.
Qed.
Lemma rows_eq_rule B N R R' : has_rule B N (REq R R').
Proof.
  destruct (rvar R) as [x|] eqn:E, (rvar R') as [y|] eqn:E'; [|eapply content_rule; eauto|apply turned_eq; eapply content_rule; eauto|].
  - destruct (string_dec x y) as [<-|Ne].
    + destruct (Nat.eq_dec (length (flat_term R)) (length (flat_term R'))) as [L|L]; [|eapply clashes, clash_occurs; eauto].
      assert (L' := L). rewrite !total in L'. destruct (lt_eq_lt_dec (length (rlead R)) (length (rlead R'))) as [[K|K]|K].
      * eapply replaced, by_re_waits; eauto. lia.
      * eapply replaced, by_re_same; eauto. lia.
      * apply turned_eq. eapply replaced, by_re_waits; eauto. lia.
    + destruct (le_lt_dec (length (rlead R)) (length (rlead R'))) as [K|K],
        (le_lt_dec (length (rtrail R)) (length (rtrail R'))) as [T|T].
      * eapply (bound _ _ Placement); [discriminate|]. eapply by_re_nested; eauto.
      * destruct (Nat.eq_dec (length (rlead R)) (length (rlead R'))) as [Q|Q].
        -- apply turned_eq. eapply (bound _ _ Placement); [discriminate|]. eapply by_re_nested; eauto; lia.
        -- eapply replaced, by_re_waits; eauto; [lia | congruence].
      * destruct (Nat.eq_dec (length (rtrail R)) (length (rtrail R'))) as [Q|Q].
        -- apply turned_eq. eapply (bound _ _ Placement); [discriminate|]. eapply by_re_nested; eauto; lia.
        -- apply turned_eq. eapply replaced, by_re_waits; eauto; [lia | congruence].
      * apply turned_eq. eapply (bound _ _ Placement); [discriminate|]. eapply by_re_nested; eauto; lia.
  - destruct (Nat.eq_dec (length (flat_term R)) (length (flat_term R'))) as [L|L].
    + now eapply replaced, by_re_closed.
    + now apply clashes, clash_ranks.
Qed.
Lemma rows_le_rule B N R R' : has_rule B N (RLe R R').
Proof.
  destruct (le_lt_dec (length (rlead R')) (length (rlead R))) as [L|L],
    (le_lt_dec (length (rtrail R')) (length (rtrail R))) as [T|T].
  1: destruct (rvar R') as [y|] eqn:E'; [eapply replaced, by_ri_cap; eauto | now eapply replaced, by_ri_closed_operand].
  all: destruct (rvar R) as [x|] eqn:E; [|apply clashes, clash_short; auto].
  all: exists (RLe R R'); split; [apply as_it_is|]; right; right.
  all: set (new := fresh N (lead_deficit R R' + trail_deficit R R')).
  all: exists Semantic, [RLe R R'], (BindR x (grown (firstn (lead_deficit R R') new) (name (S (longest N))) (skipn (lead_deficit R R') new))),
    (name (S (longest N)) :: firstn (lead_deficit R R') new ++ skipn (lead_deficit R R') new).
  all: assert (Ln : length new = lead_deficit R R' + trail_deficit R R') by apply fresh_length.
  all: split; [discriminate|]; split.
  all: try (apply by_ri_deficit; rewrite ?firstn_skipn, ?firstn_length, ?skipn_length, ?Ln; auto;
    [lia | lia | unfold lead_deficit, trail_deficit; lia | apply fresh_nodup]).
  all: rewrite firstn_skipn; intros n [<-|I]; [|now apply fresh_new in I].
  all: apply (fresh_new N 1); unfold fresh; simpl; rewrite Nat.add_0_r; auto.
Qed.
Lemma every_rule B N c : has_rule B N c.
Proof. destruct c; auto using dims_eq_rule, dims_le_rule, rows_eq_rule, rows_le_rule. Qed.

(** Whichever constraint in flight a strategy takes, there is a step for it, which chooses nothing but the place of a marker, or the run fails. *)
Theorem progress l c r s B G N : let C := Config (l ++ c :: r) s B G N in
  fails C \/ exists k E C', k <> Choice /\ step k C C' /\ firstn (length (l ++ r ++ E)) (flight C') = l ++ r ++ E.
Proof.
  intros C. destruct (every_rule B N (sub_c s c)) as (d & T & [H|[(E & S & H)|(k & E & b & M & K & H & F)]]).
  - left. apply (fails_by_rule C c d); auto. apply in_or_app. right. now left.
  - right. exists Semantic, E, (Config (l ++ r ++ E) s (S ++ B) (fun f => stated f d ++ G f) N).
    split; [discriminate|]. split; [now apply step_replaces | apply firstn_all].
  - right. exists k, E. eexists. split; auto. split; [eapply step_binds; eauto|]. cbn [flight].
    replace (l ++ r ++ E ++ woken b B) with ((l ++ r ++ E) ++ woken b B) by now rewrite <- !app_assoc.
    now rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r.
Qed.
