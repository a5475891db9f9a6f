(** Lemma 1 of complete mode (Decision.2): at given lengths the axes are decided by reachability in a finite graph. *)
From Coq Require Import List String Arith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
Import ListNotations.
Open Scope list_scope.
Open Scope nat_scope.
Notation length := List.length.

(** A node: a dimension variable, a place in the value of a row variable, or a written dimension. *)
Inductive node := Of_var (a : string) | At_place (x : string) (i : nat) | Of_dim (d : dim).
Lemma node_eq_dec (u v : node) : {u = v} + {u <> v}.
Proof. decide equality; auto using string_dec, Nat.eq_dec, dim_eq_dec. Defined.
Definition node_eqb (u v : node) : bool := if node_eq_dec u v then true else false.
Lemma node_eqb_spec u v : node_eqb u v = true <-> u = v.
Proof. unfold node_eqb. destruct (node_eq_dec u v); split; congruence. Qed.

(** An edge [(u, v)] requires u to be below v. *)
Definition graph := list (node * node).
Inductive reaches (E : graph) : node -> node -> Prop :=
| reaches_refl u : reaches E u u
| reaches_step u v w : In (u, v) E -> reaches E v w -> reaches E u w.

Lemma reaches_trans E u v w : reaches E u v -> reaches E v w -> reaches E u w.
Proof. induction 1; eauto using reaches_step. Qed.
Lemma reaches_more e E u v : reaches E u v -> reaches (e :: E) u v.
Proof. induction 1 as [|u v w I _ IH]; [apply reaches_refl | apply reaches_step with v; [now right | exact IH]]. Qed.

(** Reachability, decided edge by edge. *)
Fixpoint reachesb (E : graph) (u v : node) : bool :=
  match E with
  | [] => node_eqb u v
  | (a, b) :: E => reachesb E u v || (reachesb E u a && reachesb E b v)
  end.
Lemma reachesb_spec E : forall u v, reachesb E u v = true <-> reaches E u v.
Proof.
  induction E as [|[a b] E IH]; intros u v; cbn [reachesb].
  - rewrite node_eqb_spec. split; [intros ->; apply reaches_refl|]. intros H. inversion H as [|? ? ? []]; auto.
  - rewrite orb_true_iff, andb_true_iff, !IH. split.
    + intros [H|[H K]]; [now apply reaches_more|]. apply reaches_trans with a; [now apply reaches_more|].
      apply reaches_step with b; [now left | now apply reaches_more].
    + induction 1 as [u|u v w [[= <- <-]|I] _ [H|[H K]]]; eauto using reaches_refl, reaches_step.
Qed.

(** * Axes for the nodes of a graph *)

(** Values of the nodes, each written dimension its own. *)
Definition proper (f : node -> dim) : Prop := forall d, f (Of_dim d) = d.
Definition respects (E : graph) (f : node -> dim) : Prop := proper f /\ forall u v, In (u, v) E -> dim_le (f u) (f v).

(** No node reaches two different atoms, where an atom also reaches itself, and the unit reaches no atom. *)
Definition no_clash (E : graph) : Prop :=
  (forall u a b, is_atom a = true -> is_atom b = true -> reaches E u (Of_dim a) -> reaches E u (Of_dim b) -> a = b) /\
  (forall a, is_atom a = true -> ~ reaches E (Of_dim Unit) (Of_dim a)).

Lemma respected_atom E f u a : respects E f -> is_atom a = true -> reaches E u (Of_dim a) -> f u = a.
Proof.
  intros [P R] A H. remember (Of_dim a) as t eqn:T. induction H as [u|u v w I _ IH]; subst; [apply P|].
  specialize (IH eq_refl). specialize (R u v I). rewrite IH in R. destruct R as [->|]; [discriminate A | assumption].
Qed.

(** The atom that a node reaches, or else the unit. *)
Definition atoms_in (E : graph) : list dim :=
  flat_map (fun e => match snd e with Of_dim (Atom n b) => [Atom n b] | _ => [] end) E.
Definition reached (E : graph) (u : node) : dim :=
  match u with
  | Of_dim d => d
  | _ => match find (fun a => reachesb E u (Of_dim a)) (atoms_in E) with Some a => a | None => Unit end
  end.
Lemma atoms_in_atom E a : In a (atoms_in E) -> is_atom a = true.
Proof.
  unfold atoms_in. rewrite in_flat_map. intros ([u v] & _ & I). cbn in I.
  destruct v as [|? ?|[|n b]]; try contradiction. destruct I as [<-|[]]. reflexivity.
Qed.
Lemma reached_target E u a : is_atom a = true -> reaches E u (Of_dim a) -> u = Of_dim a \/ In a (atoms_in E).
Proof.
  intros A H. remember (Of_dim a) as t eqn:T. induction H as [u|u v w I _ IH]; subst; auto. right.
  destruct (IH eq_refl) as [->|]; auto. unfold atoms_in. apply in_flat_map. exists (u, Of_dim a). split; auto. cbn.
  destruct a; [discriminate | now left].
Qed.
Lemma reached_atom E u a : no_clash E -> is_atom a = true -> reaches E u (Of_dim a) -> reached E u = a.
Proof.
  intros [C D] A H. destruct u as [x|x i|d].
  3: { cbn. destruct d as [|n b]; [exfalso; eapply D; eauto|]. eapply C; eauto. apply reaches_refl. }
  all: destruct (reached_target E _ a A H) as [K|K]; [discriminate K|]; cbn;
    destruct (find _ (atoms_in E)) as [b|] eqn:F;
    [apply find_some in F as [I F]; apply reachesb_spec in F; eapply C; eauto using atoms_in_atom
    | eapply find_none in F; [|exact K]; cbn in F; apply reachesb_spec in H; congruence].
Qed.
Lemma reached_unit E u : reached E u = Unit \/ exists a, is_atom a = true /\ reached E u = a /\ reaches E u (Of_dim a).
Proof.
  destruct u as [x|x i|[|n b]]; cbn; auto.
  1, 2: destruct (find _ (atoms_in E)) as [a|] eqn:F; auto; right; apply find_some in F as [I F]; exists a;
    split; [eauto using atoms_in_atom | split; [reflexivity | now apply reachesb_spec]].
  right. exists (Atom n b). split; [reflexivity | split; [reflexivity | apply reaches_refl]].
Qed.

(** There are such values iff nothing clashes; then those that are reached are some, and the greatest ones. *)
Theorem values_iff E : (exists f, respects E f) <-> no_clash E.
Proof.
  split.
  - intros [f R]. split.
    + intros u a b A B Ha Hb. rewrite <- (respected_atom E f u a R A Ha). exact (respected_atom E f u b R B Hb).
    + intros a A H. assert (K := respected_atom E f _ a R A H). rewrite (proj1 R) in K. subst. discriminate.
  - intros C. exists (reached E). split; [intros d; reflexivity|]. intros u v I.
    destruct (reached_unit E v) as [->|(a & A & -> & H)]; [apply dim_le_top|].
    right. apply reached_atom; auto. eapply reaches_step; eauto.
Qed.
Lemma reached_respects E : no_clash E -> respects E (reached E).
Proof.
  intros C. split; [intros d; reflexivity|]. intros u v I.
  destruct (reached_unit E v) as [->|(a & A & -> & H)]; [apply dim_le_top|].
  right. apply reached_atom; auto. eapply reaches_step; eauto.
Qed.
Lemma reached_greatest E f : respects E f -> forall u, dim_le (f u) (reached E u).
Proof.
  intros R u. destruct (reached_unit E u) as [->|(a & A & -> & H)]; [apply dim_le_top|].
  right. now apply (respected_atom E f u a R A).
Qed.

(** * The graph of a set at given lengths *)

Section At_lengths.
(** The lengths of the flanks of each row variable's value. *)
Variables (front behind : string -> nat).
Definition has_lengths (g : val) : Prop :=
  forall x, length (lead (vrow g x)) = front x /\ length (trail (vrow g x)) = behind x.

Definition of_term (t : dterm) : node := match t with DVar a => Of_var a | DConst d => Of_dim d end.
Definition front_nodes (R : rterm) : list node :=
  map of_term (rlead R) ++ match rvar R with Some x => map (At_place x) (seq 0 (front x)) | None => [] end.
Definition behind_nodes (R : rterm) : list node :=
  match rvar R with Some x => map (At_place x) (seq (front x) (behind x)) | None => [] end ++ map of_term (rtrail R).
Definition nodes (R : rterm) : list node := front_nodes R ++ behind_nodes R.
Definition expanded (R : rterm) (n : nat) : list node :=
  front_nodes R ++ repeat (Of_dim Unit) (n - length (nodes R)) ++ behind_nodes R.

Definition edges (c : constr) : graph :=
  match c with
  | DEq a b => [(of_term a, of_term b); (of_term b, of_term a)]
  | DLe a b => [(of_term a, of_term b)]
  | REq R R' => combine (nodes R) (nodes R') ++ combine (nodes R') (nodes R)
  | RLe R R' => combine (nodes R) (expanded R' (length (nodes R)))
  end.
(** The condition that the lengths fit a constraint (Decision.1). *)
Definition lengths_fit (o : order) (c : constr) : Prop :=
  match c with
  | DEq _ _ | DLe _ _ => True
  | REq R R' => length (nodes R) = length (nodes R')
  | RLe R R' =>
      match o with
      | Marked => length (front_nodes R') <= length (front_nodes R) /\ length (behind_nodes R') <= length (behind_nodes R)
      | OneShot => length (nodes R') <= length (nodes R)
      end
  end.

(** The valuation that values of the nodes are, and the values of the nodes under a valuation. *)
Definition valuation (f : node -> dim) : val :=
  Val (fun a => f (Of_var a))
      (fun x => Row (map f (map (At_place x) (seq 0 (front x)))) (map f (map (At_place x) (seq (front x) (behind x))))).
Definition values (g : val) (u : node) : dim :=
  match u with Of_var a => vdim g a | At_place x i => nth i (flat (vrow g x)) Unit | Of_dim d => d end.

Lemma valuation_row f R : proper f -> rval (valuation f) R = Row (map f (front_nodes R)) (map f (behind_nodes R)).
Proof.
  intros P. assert (T : forall l, map (dval (valuation f)) l = map f (map of_term l)).
  { intros l. rewrite map_map. apply map_ext. intros [a|d]; cbn; auto. }
  unfold rval, front_nodes, behind_nodes. rewrite !T, !map_app. destruct (rvar R) as [x|]; reflexivity.
Qed.
Lemma valuation_lengths f : has_lengths (valuation f).
Proof. intros x. cbn. now rewrite !map_length, !seq_length. Qed.

Lemma forall2_combine {A B} (P : A -> B -> Prop) xs ys : length xs = length ys ->
  (Forall2 P xs ys <-> forall x y, In (x, y) (combine xs ys) -> P x y).
Proof.
  revert ys. induction xs as [|x xs IH]; intros [|y ys] L; cbn in *; try discriminate; [split; [intros _ ? ? [] | constructor]|].
  split.
  - inversion 1; subst. intros a b [[= <- <-]|I]; auto. eapply IH; eauto.
  - intros H. constructor; [apply H; now left|]. apply IH; [lia|]. intros a b I. apply H. now right.
Qed.
Lemma forall2_map {A B C D} (P : C -> D -> Prop) (f : A -> C) (g : B -> D) xs ys :
  Forall2 P (map f xs) (map g ys) <-> Forall2 (fun x y => P (f x) (g y)) xs ys.
Proof.
  split.
  - revert ys. induction xs as [|x xs IH]; intros [|y ys] H; inversion H; subst; constructor; auto.
  - induction 1; constructor; auto.
Qed.
Lemma length_nodes R : length (nodes R) = length (front_nodes R) + length (behind_nodes R).
Proof. apply app_length. Qed.
Lemma valuation_flat f R : proper f -> flat (rval (valuation f) R) = map f (nodes R).
Proof. intros P. rewrite valuation_row by exact P. unfold flat, nodes. now rewrite map_app. Qed.
Lemma valuation_rank f R : proper f -> rank (rval (valuation f) R) = length (nodes R).
Proof. intros P. rewrite <- length_flat, valuation_flat by exact P. apply map_length. Qed.
Lemma valuation_expansion f R n : proper f -> expansion (rval (valuation f) R) n = map f (expanded R n).
Proof.
  intros P. unfold expansion. rewrite valuation_rank, valuation_row by exact P. unfold expanded. cbn. rewrite !map_app. do 2 f_equal.
  induction (n - length (nodes R)); cbn; [reflexivity|]. now rewrite IHn0, P.
Qed.
Lemma length_expanded R n : length (nodes R) <= n -> length (expanded R n) = n.
Proof. rewrite length_nodes. intros H. unfold expanded. rewrite !app_length, repeat_length, length_nodes. lia. Qed.

(** A constraint holds iff the lengths fit and the values respect its edges. *)
Lemma holds_iff o f c : proper f ->
  (sat o (valuation f) c <-> lengths_fit o c /\ forall u v, In (u, v) (edges c) -> dim_le (f u) (f v)).
Proof.
  intros P. assert (T : forall t, dval (valuation f) t = f (of_term t)) by (intros [a|d]; cbn; auto).
  assert (Le : forall R R', length (nodes R') <= length (nodes R) ->
    (Forall2 dim_le (flat (rval (valuation f) R)) (expansion (rval (valuation f) R') (rank (rval (valuation f) R))) <->
     forall u v, In (u, v) (edges (RLe R R')) -> dim_le (f u) (f v))).
  { intros R R' L. rewrite valuation_rank, valuation_flat, valuation_expansion, forall2_map by exact P.
    cbn [edges]. rewrite forall2_combine by (now rewrite length_expanded). tauto. }
  destruct c as [a b|a b|R R'|R R']; cbn [sat lengths_fit].
  - rewrite !T. cbn [edges]. split.
    + intros E. split; auto. intros u v [[= <- <-]|[[= <- <-]|[]]]; right; congruence.
    + intros [_ H]. apply dim_le_antisym; apply H; cbn; auto.
  - rewrite !T. cbn [edges]. split; [intros E; split; auto; intros u v [[= <- <-]|[]]; exact E | intros [_ H]; apply H; now left].
  - unfold row_eq. rewrite !valuation_flat by exact P. cbn [edges]. split.
    + intros E. assert (L : length (nodes R) = length (nodes R')) by (apply (f_equal (@length dim)) in E; now rewrite !map_length in E).
      split; auto. intros u v I. right.
      assert (K : forall xs ys, map f xs = map f ys -> In (u, v) (combine xs ys) -> f u = f v).
      { induction xs as [|x xs IH]; intros [|y ys] M J; cbn in *; try contradiction. injection M as M1 M2.
        destruct J as [[= <- <-]|J]; eauto. }
      apply in_app_or in I as [I|I]; [exact (K _ _ E I) | exact (K _ _ (eq_sym E) I)].
    + intros [L H]. apply all_le_antisym; apply forall2_map, forall2_combine; auto; intros u v I; apply H, in_or_app; auto.
  - destruct o; cbn [row_below].
    + unfold row_le. rewrite !valuation_row by exact P. cbn [lead trail]. rewrite !map_length, <- !valuation_row by exact P. split.
      * intros (A & B & F). split; auto. apply Le; auto. rewrite !length_nodes. lia.
      * intros ((A & B) & H). split; [|split]; auto. apply Le; auto. rewrite !length_nodes. lia.
    + unfold row_le1. rewrite !valuation_rank by exact P. rewrite <- (valuation_rank f R) at 2 by exact P. split.
      * intros (A & F). split; auto. apply Le; auto.
      * intros (A & H). split; auto. apply Le; auto.
Qed.

(** Each valuation of these lengths is one of values of the nodes. *)
Lemma values_valuation g : has_lengths g -> forall x, vrow (valuation (values g)) x = vrow g x.
Proof.
  intros H x. destruct (H x) as [A B]. cbn. rewrite !map_map. destruct (vrow g x) as [l r] eqn:E. cbn in A, B. f_equal.
  - apply nth_ext with (d := Unit) (d' := Unit); [rewrite map_length, seq_length; auto|]. rewrite map_length, seq_length. intros i I.
    rewrite (nth_indep _ Unit (values g (At_place x 0))) by (rewrite map_length, seq_length; auto).
    rewrite map_nth with (f := fun i => values g (At_place x i)) (d := 0), seq_nth by auto. cbn. rewrite E. cbn. rewrite app_nth1 by lia. reflexivity.
  - apply nth_ext with (d := Unit) (d' := Unit); [rewrite map_length, seq_length; auto|]. rewrite map_length, seq_length. intros i I.
    rewrite (nth_indep _ Unit (values g (At_place x 0))) by (rewrite map_length, seq_length; auto).
    rewrite map_nth with (f := fun i => values g (At_place x i)) (d := 0), seq_nth by auto. cbn. rewrite E. cbn. rewrite app_nth2 by lia. f_equal. lia.
Qed.
Lemma values_sat o g c : has_lengths g -> (sat o (valuation (values g)) c <-> sat o g c).
Proof. intros H. apply sat_agree; intros; [reflexivity | now apply values_valuation]. Qed.

Definition graph_of (S : list constr) : graph := flat_map edges S.
Lemma respects_set o f S : proper f -> Forall (lengths_fit o) S ->
  (sol o S (valuation f) <-> respects (graph_of S) f).
Proof.
  intros P L. unfold sol, respects, graph_of. rewrite !Forall_forall in *. split.
  - intros H. split; auto. intros u v I. apply in_flat_map in I as (c & C & I). apply (holds_iff o f c P); auto.
  - intros [_ H] c C. apply holds_iff; auto. split; auto. intros u v I. apply H, in_flat_map. eauto.
Qed.

(** Decision.2: at lengths that fit, the set has a solution iff nothing clashes … *)
Theorem solution_at_lengths o S : Forall (lengths_fit o) S ->
  ((exists g, has_lengths g /\ sol o S g) <-> no_clash (graph_of S)).
Proof.
  intros L. rewrite <- values_iff. split.
  - intros (g & H & G). exists (values g). apply (respects_set o); [intros d; reflexivity | exact L|].
    unfold sol in *. rewrite Forall_forall in *. intros c C. apply values_sat; auto.
  - intros [f R]. exists (valuation f). split; [apply valuation_lengths|]. apply respects_set; auto. apply R.
Qed.

(** … and then what is reached is a solution, and the greatest one at these lengths. *)
Theorem greatest_at_lengths o S : Forall (lengths_fit o) S -> no_clash (graph_of S) ->
  let top := valuation (reached (graph_of S)) in
  has_lengths top /\ sol o S top /\ forall g, has_lengths g -> sol o S g ->
    (forall a, dim_le (vdim g a) (vdim top a)) /\ (forall x, Forall2 dim_le (flat (vrow g x)) (flat (vrow top x))).
Proof.
  intros L C top. split; [apply valuation_lengths|]. split.
  - apply respects_set; [intros d; reflexivity | exact L | now apply reached_respects].
  - intros g H G. assert (R : respects (graph_of S) (values g)).
    { apply (respects_set o); [intros d; reflexivity | exact L|]. unfold sol in *. rewrite Forall_forall in *. intros c I. apply values_sat; auto. }
    assert (K := reached_greatest _ _ R). split; [intros a; apply (K (Of_var a))|].
    intros x. rewrite <- (values_valuation g H x). unfold flat, top, valuation; cbn [vrow lead trail].
    rewrite <- !map_app. apply forall2_map. apply forall2_by_nth; auto. intros i u v A B. assert (u = v) as <- by congruence. apply K.
Qed.

(** Lengths that do not fit have no solution. *)
Theorem lengths_that_do_not_fit o S g : has_lengths g -> sol o S g -> Forall (lengths_fit o) S.
Proof.
  intros H G. eapply Forall_impl; [|exact G]. intros c C. apply values_sat in C; auto. apply holds_iff in C; [apply C | intros d; reflexivity].
Qed.
End At_lengths.
