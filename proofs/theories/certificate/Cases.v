(** The cases in which a constraint does not hold, and why they are all (Decision.14). *)
From Coq Require Import List String ZArith Lia Bool PArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
From Lozenge Require Import certificate.Form certificate.Statement certificate.Walk certificate.Exchange.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** * The cases *)

Definition is_equation (c : constr) : bool := match c with DEq _ _ | REq _ _ => true | _ => false end.
Definition of_dims (c : constr) : bool := match c with DEq _ _ | DLe _ _ => true | _ => false end.
(** The pairs of axes that do not fit each other, the result's first, over the unit, the known atoms and another one; where the second is
    that other one, also a second other one with it. *)
Definition pairs (eq : bool) (ks : list dim) (other second : dim) : list (dim * dim) :=
  flat_map (fun b => map (fun a => (a, b)) (filter (fun a => negb (dim_eqb a b)) (Unit :: ks ++ [other]))
                     ++ (if dim_eqb b other then [(second, b)] else []))
           ((if eq then [Unit] else []) ++ ks ++ [other]).

(** A case: forms that are not negative, and axes at places. *)
Definition case := (list form * list statement)%type.
(** The lengths do not fit. *)
Definition length_cases (o : order) (s : statement) : list case :=
  flat_map (fun p => match length_part o s p with
                     | None => []
                     | Some f => match as_num f with
                                 | Some k => if k <? 0 then [([], [])] else []
                                 | None => [([shift (neg f) (-1)], [])]
                                 end
                     end) [0%nat; 1%nat].
(** At place P of the operand, and a place of the result, are two axes that do not fit. *)
Definition facing_cases (assumed : list form) (l r : rterm) (place : form) (ps : list (dim * dim)) : list case :=
  map (fun p => (assumed, [Axis l place (fst p); Axis r (variable LP) (snd p)])) ps.
Definition cases (o : order) (goal : constr) (ks : list dim) (other second : dim) : list case :=
  let s := of_constr goal in let l := left s in let r := right s in
  let ps := pairs (is_equation goal) ks other second in
  length_cases o s ++
  if is_equation goal then facing_cases [] l r (variable LP) ps
  else
    let trailing := minus (variable LP) (front_form r) in
    facing_cases [shift (neg trailing) (-1)] l r (variable LP) ps ++
    if of_dims goal then [] else facing_cases [trailing] l r (minus (add_times (variable LP) 1 (rank_form l)) (rank_form r)) ps.

(** That a set has no solution in a case, at any position. *)
Definition no_solution (o : order) (S : list constr) (c : case) : Prop := forall g p, 0 <= p ->
  (forall e, env_of g e -> e LP = p -> Forall (holds o g e) (map of_constr S ++ snd c) /\ Forall (nonneg e) (fst c)) -> False.

Lemma known_no_unit S : ~ In Unit (known S).
Proof.
  unfold known. assert (K : Forall (fun d => d <> Unit) (flat_map atoms S)).
  { apply Forall_forall. intros d (c & _ & I)%in_flat_map. unfold atoms in I. apply in_flat_map in I as (t & _ & I).
    destruct t as [|[|]]; cbn in I; try tauto. destruct I as [<-|[]]. discriminate. }
  induction K as [|d ds D K IH]; cbn [fold_right]; [tauto|]. intros I. apply IH.
  clear -I D. induction (fold_right insert [] ds) as [|x xs IHx]; cbn in *; [intuition congruence|].
  destruct (dim_eqb d x); auto. destruct (dim_ltb d x); cbn in I; intuition congruence.
Qed.

(** A pair of axes that do not fit becomes one of the pairs under a renaming that fixes the known atoms. *)
Lemma pair_renamed (eq : bool) ks other second a b :
  is_atom other = true -> is_atom second = true -> other <> second -> ~ In other ks -> ~ In second ks -> ~ In Unit ks ->
  a <> b -> (eq = false -> b <> Unit) ->
  exists pi, (forall x y, pi x = pi y -> x = y) /\ pi Unit = Unit /\ (forall d, In d ks -> pi d = d) /\
    In (pi a, pi b) (pairs eq ks other second).
Proof.
  intros Ao As D No Ns Nu N Q.
  assert (Uo : other <> Unit) by (intros ->; discriminate). assert (Us : second <> Unit) by (intros ->; discriminate).
  assert (P : forall a b, a <> b -> (a = Unit \/ In a ks \/ a = other) -> (eq = true /\ b = Unit \/ In b ks \/ b = other) -> In (a, b) (pairs eq ks other second)).
  { intros x y X A B. unfold pairs. apply in_flat_map. exists y. split.
    - apply in_or_app. destruct B as [[-> ->]|[B|B]]; [left; now left|right; apply in_or_app; auto|right; apply in_or_app; right; now left].
    - apply in_or_app; left. apply in_map_iff. exists x. split; auto. apply filter_In. split.
      + destruct A as [->|[A| ->]]; [now left|right; apply in_or_app; auto|right; apply in_or_app; right; now left].
      + destruct (dim_eqb x y) eqn:E; auto. apply dim_eqb_spec in E. congruence. }
  assert (P2 : In (second, other) (pairs eq ks other second)).
  { unfold pairs. apply in_flat_map. exists other. split.
    - apply in_or_app; right. apply in_or_app; right; now left.
    - apply in_or_app; right. assert (dim_eqb other other = true) as -> by now apply dim_eqb_spec. now left. }
  assert (In_dec : forall d, {In d ks} + {~ In d ks}) by (intros d; apply (in_dec dim_eq_dec)).
  destruct (dim_eq_dec b Unit) as [->|Ub]; [destruct eq; [|exfalso; now apply Q]|].
  - (* b is the unit *)
    destruct (In_dec a) as [A|A].
    + exists (fun d => d). repeat split; auto.
    + exists (swap a other). repeat split; auto; try (intros ? ?; apply swap_inj).
      * apply swap_other; auto.
      * intros d K. apply swap_other; intros ->; auto.
      * rewrite swap_l, swap_other by auto. apply P; auto.
  - destruct (In_dec b) as [B|B].
    + destruct (dim_eq_dec a Unit) as [->|Ua]; [exists (fun d => d); repeat split; auto|].
      destruct (In_dec a) as [A|A]; [exists (fun d => d); repeat split; auto|].
      exists (swap a other). repeat split; auto; try (intros ? ?; apply swap_inj).
      * apply swap_other; auto.
      * intros d K. apply swap_other; intros ->; auto.
      * rewrite swap_l, (swap_other a other b) by (intros ->; auto). apply P; auto. intros ->; auto.
    + destruct (dim_eq_dec a Unit) as [->|Ua].
      * exists (swap b other). repeat split; auto; try (intros ? ?; apply swap_inj).
        -- apply swap_other; auto.
        -- intros d K. apply swap_other; intros ->; auto.
        -- rewrite swap_l, swap_other by auto. apply P; auto.
      * destruct (In_dec a) as [A|A].
        -- exists (swap b other). repeat split; auto; try (intros ? ?; apply swap_inj).
           ++ apply swap_other; auto.
           ++ intros d K. apply swap_other; intros ->; auto.
           ++ rewrite swap_l, swap_other by (intros ->; auto). apply P; auto. intros ->; auto.
        -- set (a' := swap b other a). assert (Oa : a' <> other). { unfold a'. intros K. apply N, (swap_inj b other). now rewrite swap_l. }
           assert (Uv : a' <> Unit). { unfold a'. intros K. apply Ua, (swap_inj b other). rewrite K, swap_other; auto. }
           assert (Ka : ~ In a' ks). { unfold a'. eqbs. }
           exists (fun d => swap a' second (swap b other d)). repeat split.
           ++ intros x y K. eapply swap_inj, swap_inj; eauto.
           ++ rewrite (swap_other b other), swap_other; auto.
           ++ intros d K. rewrite (swap_other b other), swap_other; auto; intros ->; auto.
           ++ fold a'. rewrite !swap_l, (swap_other a' second other) by auto. exact P2.
Qed.

(** * Where no case has a solution, the constraint holds in every solution *)

Section Entails.
Variables (o : order) (S : list constr) (goal : constr) (g : val).
Hypothesis Solution : sol o S g.
Let ks := known (S ++ [goal]).
Variables (other second : dim).
Hypothesis (Ao : is_atom other = true) (As : is_atom second = true) (Distinct : other <> second).
Hypothesis (No : ~ In other ks) (Ns : ~ In second ks).
Hypothesis R : forall c, In c (cases o goal ks other second) -> no_solution o S c.
Let s := of_constr goal. Let l := left s. Let r := right s.

Lemma statements_hold h e : sol o S h -> Forall (holds o h e) (map of_constr S).
Proof. intros H. apply Forall_map. eapply Forall_impl; [|exact H]. intros a. apply of_constr_holds. Qed.

Lemma s_rows : s = Rows (is_equation goal) l r.
Proof. unfold s, l, r, s. now destruct goal. Qed.
Lemma length_ext e e' p f : env_of g e -> env_of g e' -> length_part o s p = Some f -> eval e f = eval e' f.
Proof.
  intros E E'. rewrite s_rows. destruct (is_equation goal), p as [|[|]]; cbn [length_part]; try discriminate; try destruct o; try discriminate; intros [= <-]; autorewrite with eval;
    rewrite <- ?(zlen_flat g e E), <- ?(zlen_flat g e' E'), ?(eval_front g e E), ?(eval_front g e' E'), ?(eval_back g e E), ?(eval_back g e' E'); reflexivity.
Qed.
Lemma lengths_fit e p f : env_of g e -> length_part o s p = Some f -> 0 <= eval e f.
Proof.
  intros E L. destruct (Z_lt_le_dec (eval e f) 0) as [N|]; auto. exfalso.
  assert (Ip : In p [0%nat; 1%nat]) by (rewrite s_rows in L; destruct (is_equation goal), p as [|[|]]; cbn in *; try discriminate; auto).
  destruct (as_num f) as [k|] eqn:A.
  - assert (C : In ([], []) (cases o goal ks other second)).
    { unfold cases. apply in_or_app; left. unfold length_cases. apply in_flat_map. exists p; split; auto. fold s. rewrite L, A.
      rewrite (as_num_eval e _ _ A) in N. destruct (Z.ltb_spec k 0); [now left|lia]. }
    apply (R _ C g 0); [lia|]. intros e' _ _.
    cbn [fst snd]. rewrite app_nil_r. split; auto using statements_hold.
  - assert (C : In ([shift (neg f) (-1)], []) (cases o goal ks other second)).
    { unfold cases. apply in_or_app; left. unfold length_cases. apply in_flat_map. exists p; split; auto. fold s. rewrite L, A. now left. }
    apply (R _ C g 0); [lia|]. intros e' E' _.
    cbn [fst snd]. rewrite app_nil_r. split; auto using statements_hold. constructor; auto. unfold nonneg. autorewrite with eval.
    rewrite <- (length_ext e e' p f E E' L). lia.
Qed.

(** The axes that face each other fit. *)
Lemma facing_fit assumed place a b j j' :
  (forall x y, In (x, y) (pairs (is_equation goal) ks other second) -> In (assumed, [Axis l place x; Axis r (variable LP) y]) (cases o goal ks other second)) ->
  (forall h e, (forall x, rank (vrow h x) = rank (vrow g x) /\ zlen (lead (vrow h x)) = zlen (lead (vrow g x)) /\ zlen (trail (vrow h x)) = zlen (trail (vrow g x))) ->
     env_of h e -> e LP = j -> eval e place = j' /\ Forall (nonneg e) assumed) ->
  0 <= j -> znth (flat (rval g l)) j' = Some a -> znth (flat (rval g r)) j = Some b ->
  a <> b -> (is_equation goal = false -> b <> Unit) -> False.
Proof.
  intros C V J A B N Q.
  destruct (pair_renamed (is_equation goal) ks other second a b) as (pi & Inj & Pu & Fix & In_p); auto;
    try exact (known_no_unit (S ++ [goal])).
  assert (Fg : forall c, In c (S ++ [goal]) -> fixes_c pi c).
  { intros c' I. apply fixes_atoms; auto. intros d K. apply Fix. apply known_in, in_flat_map. eauto. }
  assert (Sol' : sol o S (vmap pi g)).
  { apply Forall_forall. intros c' I. apply sat_map; auto. - apply Fg, in_or_app; auto. - eapply Forall_forall in Solution; eauto. }
  assert (Fl : fixes_r pi l /\ fixes_r pi r).
  { assert (K := Fg goal ltac:(apply in_or_app; right; now left)). unfold l, r, s.
    destruct goal as [x y|x y|x y|x y]; cbn in *; auto; destruct K; repeat split; repeat constructor; auto. }
  apply (R _ (C _ _ In_p) (vmap pi g) j J). intros e E P. cbn [fst snd].
  destruct (V (vmap pi g) e) as [V1 V2]; auto.
  { intros x. cbn. unfold rmap, rank, zlen; cbn. now rewrite !map_length. }
  split; auto. apply Forall_app; split; [now apply statements_hold|].
  apply Forall_cons; [|apply Forall_cons; [|apply Forall_nil]]; cbn [holds]; rewrite rval_map, flat_rmap by (auto; apply Fl).
  - rewrite V1. now apply znth_map.
  - rewrite eval_fvar, P. now apply znth_map.
Qed.

Let e0 := base g 0.
Lemma E0 : env_of g e0. Proof. split; [intros x; split|]; cbn; auto; lia. Qed.
Lemma same_lengths h e f : (forall x, rank (vrow h x) = rank (vrow g x) /\ zlen (lead (vrow h x)) = zlen (lead (vrow g x)) /\ zlen (trail (vrow h x)) = zlen (trail (vrow g x))) ->
  env_of h e -> (f = front_form r \/ f = rank_form l \/ f = rank_form r) -> eval e f = eval e0 f.
Proof.
  intros V [E _] F. assert (K : forall x, e (LX x) = e0 (LX x) /\ e (LY x) = e0 (LY x)).
  { intros x. destruct (E x) as [-> ->], (V x) as (_ & -> & ->). cbn. auto. }
  destruct F as [->|[->| ->]]; unfold rank_form, front_form, before_trailing, add_len; destruct (rvar _) as [x|]; autorewrite with eval;
    try rewrite ?(proj1 (K x)), ?(proj2 (K x)); reflexivity.
Qed.
Lemma e0_front : eval e0 (front_form r) = zlen (lead (rval g r)). Proof. apply eval_front, E0. Qed.
Lemma e0_l : eval e0 (rank_form l) = zlen (flat (rval g l)). Proof. symmetry. apply zlen_flat, E0. Qed.
Lemma e0_r : eval e0 (rank_form r) = zlen (flat (rval g r)). Proof. symmetry. apply zlen_flat, E0. Qed.

Lemma equal_content : is_equation goal = true -> row_eq (rval g l) (rval g r).
Proof.
  intros Q. unfold row_eq. apply forall2_eq.
  assert (L : zlen (flat (rval g l)) = zlen (flat (rval g r))).
  { assert (P0 := fun f => lengths_fit e0 0 f E0). assert (P1 := fun f => lengths_fit e0 1 f E0).
    rewrite s_rows, Q in P0, P1. specialize (P0 _ eq_refl). specialize (P1 _ eq_refl).
    autorewrite with eval in *. rewrite e0_l, e0_r in *. lia. }
  apply forall2_by_nth; [unfold zlen in L; lia|]. intros i x y A B. destruct (dim_eq_dec x y) as [|N]; auto. exfalso.
  apply (facing_fit [] (variable LP) x y (Z.of_nat i) (Z.of_nat i)); rewrite ?znth_nat; auto; try lia; try congruence.
  - intros a b I. unfold cases. apply in_or_app; right. rewrite Q. unfold facing_cases. apply in_map_iff. exists (a, b). split; auto.
    rewrite Q in I. exact I.
  - intros h e _ _ P. rewrite eval_fvar. split; auto.
Qed.

Lemma nth_expansion U k i y : (rank U <= k)%nat -> nth_error (expansion U k) i = Some y ->
  Z.of_nat i < zlen (lead U) /\ znth (flat U) (Z.of_nat i) = Some y \/ y = Unit \/
  zlen (lead U) <= Z.of_nat i + Z.of_nat (rank U) - Z.of_nat k /\ znth (flat U) (Z.of_nat i + Z.of_nat (rank U) - Z.of_nat k) = Some y.
Proof.
  intros K. rewrite <- znth_nat. unfold expansion, flat. intros H.
  destruct (Z_lt_le_dec (Z.of_nat i) (zlen (lead U))) as [A|A].
  - left. split; auto. rewrite znth_app1 in H by auto. now rewrite znth_app1.
  - right. rewrite znth_app2 in H by auto.
    assert (ZR : zlen (repeat Unit (k - rank U)) = Z.of_nat k - Z.of_nat (rank U)) by (unfold zlen; rewrite repeat_length; lia).
    destruct (Z_lt_le_dec (Z.of_nat i - zlen (lead U)) (zlen (repeat Unit (k - rank U)))) as [B|B].
    + left. rewrite znth_app1 in H by auto. unfold znth in H. destruct (_ <? 0); [discriminate|]. apply nth_error_In in H.
      now apply repeat_spec in H.
    + right. rewrite znth_app2 in H by auto. split; [lia|]. rewrite znth_app2 by lia. rewrite <- H. f_equal. lia.
Qed.

Lemma below_content : is_equation goal = false -> (of_dims goal = true -> rank (rval g l) = List.length (lead (rval g r))) ->
  (rank (rval g r) <= rank (rval g l))%nat -> Forall2 dim_le (flat (rval g l)) (expansion (rval g r) (rank (rval g l))).
Proof.
  intros Q D L. apply forall2_by_nth; [now rewrite length_flat, length_expansion|]. intros i x y A B.
  destruct (dim_leb x y) eqn:LE; [now apply dim_leb_spec|].
  assert (N : x <> y /\ y <> Unit).
  { split; intros K; enough (dim_leb x y = true) by congruence; apply dim_leb_spec; [right|left]; auto. }
  exfalso. rewrite <- znth_nat in A. assert (Ri := znth_range _ _ _ A). rewrite <- rank_flat in Ri.
  apply nth_expansion in B as [[B1 B]|[B|[B1 B]]]; auto; [| now destruct N |].
  - apply (facing_fit [shift (neg (minus (variable LP) (front_form r))) (-1)] (variable LP) x y (Z.of_nat i) (Z.of_nat i)); auto; try lia; try exact (proj1 N); try (intros _; exact (proj2 N)).
    + intros a b I. unfold cases. apply in_or_app; right. rewrite Q. apply in_or_app; left. unfold facing_cases. apply in_map_iff. exists (a, b). split; auto.
      rewrite Q in I. exact I.
    + intros h e V E P. rewrite eval_fvar. split; auto. constructor; auto. unfold nonneg. autorewrite with eval.
      rewrite (same_lengths h e _ V E) by auto. rewrite e0_front, P. lia.
  - destruct (of_dims goal) eqn:OD.
    + specialize (D eq_refl). unfold zlen in *. unfold rank in *. lia.
    + apply (facing_fit [minus (variable LP) (front_form r)] (minus (add_times (variable LP) 1 (rank_form l)) (rank_form r)) x y
        (Z.of_nat i + Z.of_nat (rank (rval g r)) - Z.of_nat (rank (rval g l))) (Z.of_nat i)); auto; try exact (proj1 N); try (intros _; exact (proj2 N)).
      * intros a b I. unfold cases. apply in_or_app; right. rewrite Q. apply in_or_app; right. rewrite OD. unfold facing_cases. apply in_map_iff. exists (a, b). split; auto.
        rewrite Q in I. exact I.
      * intros h e V E P. split.
        -- autorewrite with eval. rewrite !(same_lengths h e _ V E) by auto. rewrite e0_l, e0_r, P, !rank_flat. lia.
        -- constructor; auto. unfold nonneg. autorewrite with eval. rewrite (same_lengths h e _ V E) by auto. rewrite e0_front, P. lia.
      * unfold zlen in *; lia.
Qed.

Theorem entailed : sat o g goal.
Proof.
  assert (P0 := fun f => lengths_fit e0 0 f E0). assert (P1 := fun f => lengths_fit e0 1 f E0). rewrite s_rows in P0, P1.
  assert (EQ := equal_content). assert (BC := below_content). unfold l, r, s in *.
  destruct goal as [x y|x y|x y|x y]; cbn [of_constr left right is_equation of_dims length_part sat] in *.
  - specialize (EQ eq_refl). unfold row_eq, flat, rval, one in EQ. cbn in EQ. congruence.
  - specialize (BC eq_refl (fun _ => eq_refl) (le_n _)). unfold flat, rval, one, expansion, rank in BC. cbn in BC.
    now inversion BC.
  - auto.
  - specialize (P0 _ eq_refl). destruct o; cbn [row_below].
    + specialize (P1 _ eq_refl). autorewrite with eval in *. rewrite !(eval_front g e0 E0) in P0. rewrite !(eval_back g e0 E0) in P1.
      unfold zlen in *. unfold row_le. repeat split; try lia. apply BC; auto; try discriminate. unfold rank. lia.
    + autorewrite with eval in *. rewrite <- !(zlen_flat g e0 E0), <- !rank_flat in P0. split; [lia|]. apply BC; auto; try discriminate. lia.
Qed.
End Entails.

(** * The converse: where the constraint holds in every solution, no case has one *)

Lemma pairs_misfit eq ks other second a b : other <> second -> is_atom other = true -> ~ In Unit ks ->
  In (a, b) (pairs eq ks other second) -> a <> b /\ (eq = false -> b <> Unit).
Proof.
  intros D A N. unfold pairs. rewrite in_flat_map. intros (y & Y & I). apply in_app_or in I as [I|I].
  - apply in_map_iff in I as (x & [= <- <-] & I). apply filter_In in I as [_ I]. split.
    + intros ->. assert (E : dim_eqb y y = true) by now apply dim_eqb_spec. rewrite E in I. discriminate.
    + intros -> ->. cbn in Y. apply in_app_or in Y as [Y|[Y|[]]]; [auto|]. subst. discriminate A.
  - destruct (dim_eqb y other) eqn:E; [|destruct I]. apply dim_eqb_spec in E as ->. destruct I as [[= <- <-]|[]].
    split; auto. intros _ ->. discriminate A.
Qed.

Lemma holds_rows o goal g e : sat o g goal -> holds o g e (Rows (is_equation goal) (left (of_constr goal)) (right (of_constr goal))).
Proof. intros H%(of_constr_holds o g e). destruct goal; exact H. Qed.

Lemma length_part_rows o goal p : length_part o (of_constr goal) p =
  length_part o (Rows (is_equation goal) (left (of_constr goal)) (right (of_constr goal))) p.
Proof. now destruct goal. Qed.

Theorem entailed_no_case o S goal other second :
  is_atom other = true -> other <> second ->
  (forall g, sol o S g -> sat o g goal) -> forall c, In c (cases o goal (known (S ++ [goal])) other second) -> no_solution o S c.
Proof.
  intros A D H c I g p P Q. set (e := base g p). assert (E : env_of g e) by now apply base_env.
  destruct (Q e E eq_refl) as [HS HA]. apply Forall_app in HS as [HS HX].
  assert (G : sat o g goal).
  { apply H. rewrite Forall_map in HS. eapply Forall_impl; [|exact HS]. intros x. apply of_constr_holds. }
  assert (X := holds_rows o goal g e G). set (l := left (of_constr goal)) in *. set (r := right (of_constr goal)) in *.
  assert (Fit : forall x y, In (x, y) (pairs (is_equation goal) (known (S ++ [goal])) other second) ->
    x <> y /\ (is_equation goal = false -> y <> Unit)) by (intros; eapply pairs_misfit; eauto using known_no_unit).
  unfold cases in I. fold l r in I. apply in_app_or in I as [I|I].
  - unfold length_cases in I. apply in_flat_map in I as (q & _ & I).
    destruct (length_part o (of_constr goal) q) as [f|] eqn:F; [|destruct I].
    assert (N : nonneg e f) by (eapply lengths_required; eauto). unfold nonneg in N.
    destruct (as_num f) as [k|] eqn:K.
    + rewrite (as_num_eval e _ _ K) in N. destruct (Z.ltb_spec k 0); [lia | destruct I].
    + destruct I as [<-|[]]. inversion HA as [|? ? B _]; subst. unfold nonneg in B. autorewrite with eval in B. lia.
  - destruct (is_equation goal).
    + unfold facing_cases in I. apply in_map_iff in I as ([x y] & <- & I). apply Fit in I as [I _]. cbn [fst snd] in *.
      inversion HX as [|? ? X1 X2]; subst. inversion X2 as [|? ? X3 _]; subst. cbn [holds] in *. rewrite X in X1. congruence.
    + apply in_app_or in I as [I|I].
      * unfold facing_cases in I. apply in_map_iff in I as ([x y] & <- & I). apply Fit in I as [I J]. cbn [fst snd] in *.
        inversion HX as [|? ? X1 X2]; subst. inversion X2 as [|? ? X3 _]; subst. cbn [holds] in *.
        inversion HA as [|? ? B _]; subst. unfold nonneg in B. autorewrite with eval in *. rewrite (eval_front g e E) in B.
        apply (cross_leading o _ _ _ _ X) in X3; [congruence | lia | auto].
      * destruct (of_dims goal); [destruct I|].
        unfold facing_cases in I. apply in_map_iff in I as ([x y] & <- & I). apply Fit in I as [I J]. cbn [fst snd] in *.
        inversion HX as [|? ? X1 X2]; subst. inversion X2 as [|? ? X3 _]; subst. cbn [holds] in *.
        inversion HA as [|? ? B _]; subst. unfold nonneg in B. autorewrite with eval in *. rewrite (eval_front g e E) in B.
        apply (cross_trailing o _ _ _ _ X) in X3; [|lia | auto].
        rewrite !rank_flat, !(zlen_flat g e E) in X3.
        replace (e LP + 1 * eval e (rank_form l) - eval e (rank_form r)) with (e LP + eval e (rank_form l) - eval e (rank_form r)) in X1 by lia.
        congruence.
Qed.

(** Decision.14, for any two atoms that neither the set nor the constraint mentions. *)
Theorem entailed_iff o S goal other second :
  is_atom other = true -> is_atom second = true -> other <> second ->
  ~ In other (known (S ++ [goal])) -> ~ In second (known (S ++ [goal])) ->
  ((forall g, sol o S g -> sat o g goal) <-> forall c, In c (cases o goal (known (S ++ [goal])) other second) -> no_solution o S c).
Proof.
  intros Ao As D No Ns. split.
  - now apply entailed_no_case.
  - intros R g G. exact (entailed o S goal g G other second Ao As D No Ns R).
Qed.
