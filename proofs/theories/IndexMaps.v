(** §7, index maps of an operation: when they are injective and surjective, what must be read and initialised (Prop. 7.6), and margins
    (Prop. 8.1). *)
From Coq Require Import List Arith Lia Bool Permutation ZArith.
From Lozenge Require Import Lists Projections.
Import ListNotations.
Open Scope list_scope.
Open Scope nat_scope.

(** The address of a point of the product space under an index map, which has a label for each axis. *)
Definition address (x : list nat) (ext : nat -> nat) (m : list label) : list nat := map (value x ext) m.
Definition occurs (j : nat) (m : list label) : Prop := In (LIter j) m.

Lemma label_eq_dec (a b : label) : {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Defined.
Lemma point_length factors x : point factors x -> length x = length factors.
Proof. apply forall2_length. Qed.

(** The point whose coordinates are those of a function. *)
Definition at_each (factors : list nat) (f : nat -> nat) : list nat := map f (seq 0 (length factors)).
Lemma at_each_nth factors f j : j < length factors -> nth j (at_each factors f) 0 = f j.
Proof. intros H. unfold at_each. apply nth_error_nth, map_nth_error with (f := f). exact (nth_seq (length factors) j 0 H). Qed.
Lemma at_each_point factors f : (forall j n, nth_error factors j = Some n -> f j < n) -> point factors (at_each factors f).
Proof.
  intros H. apply forall2_by_nth; [unfold at_each; now rewrite map_length, seq_length|].
  intros i x y X Y. assert (L : i < length factors) by (apply nth_error_Some; congruence).
  unfold at_each in X. rewrite (map_nth_error f i (seq 0 (length factors)) (nth_seq _ _ _ L)) in X. injection X as <-. auto.
Qed.
Lemma value_outside factors f ext j : length factors <= j -> value (at_each factors f) ext (LIter j) = 0.
Proof. intros H. cbn. apply nth_overflow. unfold at_each. now rewrite map_length, seq_length. Qed.

(** * Prop. 7.6(i): a map is injective iff every factor occurs in it, that is, iff there is no reduction axis *)

Definition injective (factors : list nat) (ext : nat -> nat) (m : list label) : Prop :=
  forall x y, point factors x -> point factors y -> address x ext m = address y ext m -> x = y.

(** Two points that differ only at a factor that does not occur have one address. *)
Lemma collision factors ext m j : (forall n, In n factors -> 2 <= n) -> j < length factors -> ~ occurs j m ->
  exists x y, point factors x /\ point factors y /\ x <> y /\ address x ext m = address y ext m.
Proof.
  intros T J N. set (f := fun _ : nat => 0). set (g := fun i => if Nat.eqb i j then 1 else 0).
  exists (at_each factors f), (at_each factors g). split; [|split; [|split]].
  - apply at_each_point. intros i n H%nth_error_In%T. unfold f. lia.
  - apply at_each_point. intros i n H%nth_error_In%T. unfold g. destruct (Nat.eqb i j); lia.
  - intros E. apply (f_equal (fun l => nth j l 0)) in E. rewrite !at_each_nth in E by exact J. unfold f, g in E.
    rewrite Nat.eqb_refl in E. discriminate.
  - unfold address. apply map_ext_in. intros [i|c|s] H; cbn; auto. destruct (Nat.eq_dec i j) as [->|D]; [now elim N|].
    destruct (lt_dec i (length factors)) as [L|L].
    + rewrite !at_each_nth by exact L. unfold f, g. destruct (Nat.eqb_spec i j); congruence.
    + assert (A := value_outside factors f ext i ltac:(lia)). assert (B := value_outside factors g ext i ltac:(lia)).
      cbn in A, B. congruence.
Qed.

Theorem injective_iff factors ext m : (forall n, In n factors -> 2 <= n) ->
  (injective factors ext m <-> forall j, j < length factors -> occurs j m).
Proof.
  intros T. split.
  - intros I j J. destruct (in_dec label_eq_dec (LIter j) m) as [|N]; auto. exfalso.
    destruct (collision factors ext m j T J N) as (x & y & X & Y & D & A). apply D, I; auto.
  - intros H x y X Y A. apply point_length in X as Lx. apply point_length in Y as Ly.
    apply nth_ext with (d := 0) (d' := 0); [congruence|]. intros j J. rewrite Lx in J. specialize (H j J).
    unfold occurs in H. clear - A H. induction m as [|l m IH]; [destruct H|].
    cbn in A. injection A as A1 A2. destruct H as [->|H]; auto.
Qed.

(** * Prop. 7.6(ii): surjectivity

    The labels of the map fit the sizes of its axes: a loop variable ranges over an axis as long as its factor, and another index lies in its
    axis (Thm. 7.8(1)). *)
Definition fits_axis (factors : list nat) (ext : nat -> nat) (l : label) (n : nat) : Prop :=
  match l with LIter j => nth_error factors j = Some n | LFix c => c < n | LExt s => ext s < n end.
Definition surjective (factors : list nat) (ext : nat -> nat) (m : list label) (sizes : list nat) : Prop :=
  forall t, point sizes t -> exists x, point factors x /\ address x ext m = t.

Theorem surjective_iff factors ext m sizes : (forall n, In n factors -> 2 <= n) -> Forall2 (fits_axis factors ext) m sizes ->
  (surjective factors ext m sizes <->
   (forall k n l, nth_error sizes k = Some n -> nth_error m k = Some l -> 1 < n -> exists j, l = LIter j) /\
   (forall k k' j, nth_error m k = Some (LIter j) -> nth_error m k' = Some (LIter j) -> k = k')).
Proof.
  intros T F. assert (Lm := forall2_length _ _ _ F).
  assert (Fit : forall k l, nth_error m k = Some l -> exists n, nth_error sizes k = Some n /\ fits_axis factors ext l n).
  { intros k l H. destruct (nth_error sizes k) as [n|] eqn:E.
    - exists n. split; auto. destruct (forall2_nth _ _ _ _ _ F E) as (l' & H' & K). congruence.
    - apply nth_error_None in E. assert (nth_error m k <> None) by congruence. apply nth_error_Some in H0. lia. }
  split.
  - intros S. split.
    + intros k n l Hn Hl G. destruct l as [j|c|s]; [eauto| |]; exfalso.
      * destruct (Fit k _ Hl) as (n' & Hn' & C). cbn in C. assert (n' = n) as -> by congruence.
        set (d := if Nat.eqb c 0 then 1 else 0).
        destruct (S (at_each sizes (fun i => if Nat.eqb i k then d else 0))) as (x & X & A).
        { apply at_each_point. intros i a H. destruct (Nat.eqb_spec i k) as [->|D].
          - rewrite Hn in H. injection H as <-. unfold d. destruct (Nat.eqb c 0); lia.
          - destruct (nth_error m i) as [l|] eqn:E; [|apply nth_error_None in E; assert (nth_error sizes i <> None) by congruence; apply nth_error_Some in H0; lia].
            destruct (Fit i l E) as (a' & Ha & K). assert (a' = a) as -> by congruence. destruct l; cbn in K; try lia.
            apply nth_error_In, T in K. lia. }
        assert (L : k < length sizes) by (apply nth_error_Some; congruence).
        apply (f_equal (fun l => nth k l 0)) in A. rewrite at_each_nth in A by exact L. rewrite Nat.eqb_refl in A.
        unfold address in A. rewrite (nth_error_nth _ _ 0 (map_nth_error (value x ext) k m Hl)) in A. cbn in A.
        unfold d in A. destruct (Nat.eqb_spec c 0); lia.
      * destruct (Fit k _ Hl) as (n' & Hn' & C). cbn in C. assert (n' = n) as -> by congruence.
        set (d := if Nat.eqb (ext s) 0 then 1 else 0).
        destruct (S (at_each sizes (fun i => if Nat.eqb i k then d else 0))) as (x & X & A).
        { apply at_each_point. intros i a H. destruct (Nat.eqb_spec i k) as [->|D].
          - rewrite Hn in H. injection H as <-. unfold d. destruct (Nat.eqb (ext s) 0); lia.
          - destruct (nth_error m i) as [l|] eqn:E; [|apply nth_error_None in E; assert (nth_error sizes i <> None) by congruence; apply nth_error_Some in H0; lia].
            destruct (Fit i l E) as (a' & Ha & K). assert (a' = a) as -> by congruence. destruct l; cbn in K; try lia.
            apply nth_error_In, T in K. lia. }
        assert (L : k < length sizes) by (apply nth_error_Some; congruence).
        apply (f_equal (fun l => nth k l 0)) in A. rewrite at_each_nth in A by exact L. rewrite Nat.eqb_refl in A.
        unfold address in A. rewrite (nth_error_nth _ _ 0 (map_nth_error (value x ext) k m Hl)) in A. cbn in A.
        unfold d in A. destruct (Nat.eqb_spec (ext s) 0); lia.
    + intros k k' j Hk Hk'. destruct (Nat.eq_dec k k') as [|D]; auto. exfalso.
      destruct (Fit k _ Hk) as (n & Hn & C). destruct (Fit k' _ Hk') as (n' & Hn' & C'). cbn in C, C'.
      assert (G := T _ (nth_error_In _ _ C)).
      destruct (S (at_each sizes (fun i => if Nat.eqb i k then 1 else 0))) as (x & X & A).
      { apply at_each_point. intros i a H. destruct (Nat.eqb_spec i k) as [->|E].
        - rewrite Hn in H. injection H as <-. lia.
        - destruct (nth_error m i) as [l|] eqn:Ei; [|apply nth_error_None in Ei; assert (nth_error sizes i <> None) by congruence; apply nth_error_Some in H0; lia].
          destruct (Fit i l Ei) as (a' & Ha & K). assert (a' = a) as -> by congruence. destruct l; cbn in K; try lia.
          apply nth_error_In, T in K. lia. }
      assert (L : k < length sizes) by (apply nth_error_Some; congruence).
      assert (L' : k' < length sizes) by (apply nth_error_Some; congruence).
      assert (B := f_equal (fun l => nth k l 0) A). assert (B' := f_equal (fun l => nth k' l 0) A). cbn beta in B, B'.
      rewrite at_each_nth in B by exact L. rewrite at_each_nth in B' by exact L'. rewrite Nat.eqb_refl in B.
      destruct (Nat.eqb_spec k' k) as [|_]; [congruence|].
      unfold address in B, B'. rewrite (nth_error_nth _ _ 0 (map_nth_error (value x ext) k m Hk)) in B.
      rewrite (nth_error_nth _ _ 0 (map_nth_error (value x ext) k' m Hk')) in B'. cbn in B, B'. congruence.
  - intros [Loop Apart] t Pt.
    (* The axis of a loop variable, of which there is at most one. *)
    set (axis_of := fun j => find (fun k => match nth_error m k with Some l => if label_eq_dec l (LIter j) then true else false | None => false end) (seq 0 (length m))).
    set (f := fun j => match axis_of j with Some k => nth k t 0 | None => 0 end).
    assert (Own : forall k j, nth_error m k = Some (LIter j) -> axis_of j = Some k).
    { intros k j H. unfold axis_of. destruct (find _ (seq 0 (length m))) as [k'|] eqn:E.
      - apply find_some in E as [_ E]. destruct (nth_error m k') as [l|] eqn:E'; [|discriminate].
        destruct (label_eq_dec l (LIter j)) as [->|]; [|discriminate]. f_equal. eapply Apart; eauto.
      - assert (L : k < length m) by (apply nth_error_Some; congruence).
        eapply find_none with (x := k) in E; [|apply in_seq; lia]. cbn beta in E. rewrite H in E.
        destruct (label_eq_dec (LIter j) (LIter j)); congruence. }
    assert (Sm : forall j k, axis_of j = Some k -> nth_error m k = Some (LIter j)).
    { intros j k H. unfold axis_of in H. apply find_some in H as [_ H]. destruct (nth_error m k) as [l|]; [|discriminate].
      destruct (label_eq_dec l (LIter j)) as [->|]; [reflexivity | discriminate]. }
    exists (at_each factors f). split.
    + apply at_each_point. intros j n H. unfold f. destruct (axis_of j) as [k|] eqn:E.
      * apply Sm in E. destruct (Fit k _ E) as (n' & Hn & C). cbn in C. assert (n' = n) as -> by congruence.
        exact (point_nth _ _ _ _ Pt Hn).
      * apply nth_error_In, T in H. lia.
    + assert (Lt := point_length _ _ Pt). apply nth_ext with (d := 0) (d' := 0); [unfold address; rewrite map_length; congruence|].
      intros k H. unfold address in H. rewrite map_length in H.
      destruct (nth_error m k) as [l|] eqn:E; [|apply nth_error_None in E; lia].
      unfold address. rewrite (nth_error_nth _ _ 0 (map_nth_error (value _ ext) k m E)).
      destruct (Fit k l E) as (n & Hn & C). assert (Q := point_nth _ _ _ _ Pt Hn).
      destruct l as [j|c|s]; cbn in *.
      * rewrite at_each_nth by (apply nth_error_Some; congruence). unfold f. now rewrite (Own k j E).
      * destruct (Nat.le_gt_cases n 1); [lia|]. destruct (Loop k n _ Hn E ltac:(lia)) as [j J]. discriminate J.
      * destruct (Nat.le_gt_cases n 1); [lia|]. destruct (Loop k n _ Hn E ltac:(lia)) as [j J]. discriminate J.
Qed.

(** * Prop. 7.6(iii) repaired: what has to be read, and what has to be initialised

    A loop nest visits points of which each writes a number into a cell. A program for it may initialise the cells with 0, and may read a
    cell before it writes it. What an accumulation means: each cell gets the sum of what is written into it, added to its old value unless
    the accumulator erases that. *)
Section Accumulation.
Open Scope Z_scope.
Context {Point Cell : Type} (point_eq_dec : forall x y : Point, {x = y} + {x <> y}) (cell_eq_dec : forall c d : Cell, {c = d} + {c <> d}).
Variables (points : list Point) (cell : Point -> Cell) (cells : Cell -> Prop).

Definition at_cell (c : Cell) (x : Point) : bool := if cell_eq_dec (cell x) c then true else false.
Definition sum_at (v : Point -> Z) (l : list Point) (c : Cell) : Z := fold_right (fun x s => if at_cell c x then v x + s else s) 0 l.
Definition meaning (erases : bool) (old : Cell -> Z) (v : Point -> Z) (c : Cell) : Z :=
  (if erases then 0 else old c) + sum_at v points c.

(** One visit, and the whole program. *)
Definition visit (reads : bool) (v : Point -> Z) (x : Point) (m : Cell -> Z) (c : Cell) : Z :=
  if at_cell c x then (if reads then m c else 0) + v x else m c.
Fixpoint visits (reads : bool) (v : Point -> Z) (l : list Point) (m : Cell -> Z) : Cell -> Z :=
  match l with [] => m | x :: l => visits reads v l (visit reads v x m) end.
Definition run (reads starts : bool) (v : Point -> Z) (old : Cell -> Z) : Cell -> Z :=
  visits reads v points (if starts then fun _ => 0 else old).
Definition correct (erases reads starts : bool) : Prop := forall v old c, cells c -> run reads starts v old c = meaning erases old v c.

Lemma visits_reading v l : forall m c, visits true v l m c = m c + sum_at v l c.
Proof.
  induction l as [|x l IH]; intros m c; cbn [visits sum_at fold_right]; [lia|]. rewrite IH. unfold visit, sum_at. destruct (at_cell c x); lia.
Qed.
Lemma visits_none v l c : (forall x, In x l -> cell x <> c) -> forall reads m, visits reads v l m c = m c /\ sum_at v l c = 0.
Proof.
  induction l as [|x l IH]; intros H reads m; cbn [visits sum_at fold_right]; [auto|].
  destruct (IH ltac:(intros; apply H; now right) reads (visit reads v x m)) as [-> S]. unfold sum_at in S. rewrite S.
  unfold visit, at_cell. destruct (cell_eq_dec (cell x) c) as [E|]; [exfalso; apply (H x); auto; now left | auto].
Qed.
Lemma visits_once v l x c : NoDup l -> In x l -> cell x = c -> (forall y, In y l -> cell y = c -> y = x) ->
  forall m, visits false v l m c = v x /\ sum_at v l c = v x.
Proof.
  induction 1 as [|y l N D IH]; intros I C U m; [destruct I|]. cbn [visits sum_at fold_right].
  destruct I as [->|I].
  - assert (Z0 : forall z, In z l -> cell z <> c) by (intros z Z E; apply N; rewrite <- (U z); auto; now right).
    destruct (visits_none v l c Z0 false (visit false v x m)) as [-> S]. unfold sum_at in S. rewrite S.
    unfold visit, at_cell. destruct (cell_eq_dec (cell x) c); [lia | contradiction].
  - assert (Y : cell y <> c) by (intros E; apply N; rewrite (U y); auto; now left).
    destruct (IH I C ltac:(intros; apply U; auto; now right) (visit false v y m)) as [-> S]. unfold sum_at in S. rewrite S.
    unfold at_cell. destruct (cell_eq_dec (cell y) c); [contradiction | auto].
Qed.

Hypothesis (Distinct : NoDup points) (Inside : forall x, In x points -> cells (cell x)) (Some_point : exists x, In x points).
Definition map_injective : Prop := forall x y, In x points -> In y points -> cell x = cell y -> x = y.
Definition map_surjective : Prop := forall c, cells c -> exists x, In x points /\ cell x = c.

Lemma map_injective_dec : map_injective \/ ~ map_injective.
Proof.
  set (fits := fun p : Point * Point => cell (fst p) = cell (snd p) -> fst p = snd p).
  assert (D : forall p, {fits p} + {~ fits p}).
  { intros [x y]. unfold fits; cbn. destruct (point_eq_dec x y); [left; auto|].
    destruct (cell_eq_dec (cell x) (cell y)); [right; tauto | left; tauto]. }
  destruct (Forall_dec fits D (list_prod points points)) as [F|F]; rewrite Forall_forall in F.
  - left. intros x y X Y E. apply (F (x, y)); [now apply in_prod | exact E].
  - right. intros I. apply F. intros [x y] P. apply in_prod_iff in P as [X Y]. intros E. now apply I.
Qed.

(** A sum of ones over a cell in which two points lie is at least 2. *)
Lemma sum_of_ones l c : 0 <= sum_at (fun _ => 1) l c.
Proof. induction l as [|x l IH]; cbn [sum_at fold_right]; [lia|]. unfold sum_at in IH. destruct (at_cell c x); lia. Qed.
Lemma sum_of_two l x y : NoDup l -> In x l -> In y l -> x <> y -> cell x = cell y -> 2 <= sum_at (fun _ => 1) l (cell x).
Proof.
  assert (One : forall l z, In z l -> 1 <= sum_at (fun _ => 1) l (cell z)).
  { induction l0 as [|w l0 IH]; intros z I; [destruct I|]. cbn [sum_at fold_right]. fold (sum_at (fun _ => 1) l0 (cell z)).
    assert (P := sum_of_ones l0 (cell z)). destruct I as [->|I].
    - unfold at_cell. destruct (cell_eq_dec (cell z) (cell z)); [lia | congruence].
    - specialize (IH z I). destruct (at_cell (cell z) w); lia. }
  induction 1 as [|w l N D IH]; intros X Y NE C; [destruct X|]. cbn [sum_at fold_right]. fold (sum_at (fun _ => 1) l (cell x)).
  destruct X as [->|X], Y as [->|Y].
  - congruence.
  - assert (K := One l y Y). rewrite <- C in K. unfold at_cell. destruct (cell_eq_dec (cell x) (cell x)); [lia | congruence].
  - assert (K := One l x X). unfold at_cell. destruct (cell_eq_dec (cell y) (cell x)); [lia | congruence].
  - specialize (IH X Y NE C). destruct (at_cell (cell x) w); lia.
Qed.
Lemma last_of_ones l : forall m c, visits false (fun _ => 1) l m c = 1 \/ visits false (fun _ => 1) l m c = m c.
Proof.
  induction l as [|x l IH]; intros m c; cbn [visits]; auto. destruct (IH (visit false (fun _ => 1) x m) c) as [->| ->]; auto.
  unfold visit. destruct (at_cell c x); auto.
Qed.
Lemma written_ones l : forall m x, In x l -> visits false (fun _ => 1) l m (cell x) = 1.
Proof.
  induction l as [|y l IH]; intros m x I; [destruct I|]. cbn [visits]. destruct I as [->|I]; [|apply IH; auto].
  destruct (last_of_ones l (visit false (fun _ => 1) x m) (cell x)) as [->| ->]; auto.
  unfold visit, at_cell. destruct (cell_eq_dec (cell x) (cell x)); [lia | congruence].
Qed.

(** Without reading no program is right iff the map is not injective or the accumulator does not erase. *)
Theorem reading_required erases :
  (forall starts, ~ correct erases false starts) <-> ~ map_injective \/ erases = false.
Proof.
  assert (Dec := map_injective_dec). split.
  - intros H. destruct Dec as [I|N]; [|auto]. right. destruct erases; auto. exfalso. apply (H true).
    intros v old c _. unfold run, meaning.
    destruct (in_dec cell_eq_dec c (map cell points)) as [M|M].
    + apply in_map_iff in M as (x & <- & X).
      destruct (visits_once v points x (cell x) Distinct X eq_refl ltac:(intros; apply I; auto) (fun _ => 0)) as [-> ->]. lia.
    + destruct (visits_none v points c ltac:(intros x X E; apply M; rewrite <- E; now apply in_map) false (fun _ => 0)) as [-> ->]. lia.
  - intros [N| ->] starts C.
    + apply N. intros x y X Y E. destruct (point_eq_dec x y) as [|P]; auto. exfalso.
      assert (Q := C (fun _ => 1) (fun _ => 0) (cell x) (Inside x X)). unfold run, meaning in Q.
      rewrite written_ones in Q by exact X. assert (S := sum_of_two points x y Distinct X Y P E). destruct erases, starts; lia.
    + destruct Some_point as [x X]. assert (Q := C (fun _ => 1) (fun _ => 1) (cell x) (Inside x X)). unfold run, meaning in Q.
      rewrite written_ones in Q by exact X.
      assert (S : 1 <= sum_at (fun _ => 1) points (cell x)).
      { clear - X cell_eq_dec. induction points as [|w l IH]; [destruct X|]. cbn [sum_at fold_right]. fold (sum_at (fun _ => 1) l (cell x)).
        assert (P := sum_of_ones l (cell x)). destruct X as [->|X].
        - unfold at_cell. destruct (cell_eq_dec (cell x) (cell x)); [lia | congruence].
        - specialize (IH X). destruct (at_cell (cell x) w); lia. }
      lia.
Qed.

(** Without initialising no program is right iff the accumulator erases and the map is not surjective or not injective. *)
Theorem initialising_required erases :
  (forall reads, ~ correct erases reads false) <-> erases = true /\ (~ map_surjective \/ ~ map_injective).
Proof.
  assert (Dec := map_injective_dec). split.
  - intros H. destruct erases.
    + split; auto. destruct Dec as [I|N]; [|auto]. left. intros S. apply (H false). intros v old c Cc. unfold run, meaning.
      destruct (S c Cc) as (x & X & <-).
      destruct (visits_once v points x (cell x) Distinct X eq_refl ltac:(intros; apply I; auto) old) as [-> ->]. lia.
    + exfalso. apply (H true). intros v old c _. unfold run, meaning. apply visits_reading.
  - intros [-> N] reads C. destruct reads.
    + destruct Some_point as [x X]. assert (Q := C (fun _ => 0) (fun _ => 1) (cell x) (Inside x X)). unfold run, meaning in Q.
      rewrite visits_reading in Q. lia.
    + destruct N as [N|N].
      * apply N. intros c Cc. destruct (in_dec cell_eq_dec c (map cell points)) as [M|M].
        -- apply in_map_iff in M as (x & E & X). eauto.
        -- exfalso. assert (Q := C (fun _ => 0) (fun _ => 1) c Cc). unfold run, meaning in Q.
           destruct (visits_none (fun _ => 0) points c ltac:(intros x X E; apply M; rewrite <- E; now apply in_map) false (fun _ => 1)) as [A B].
           rewrite A, B in Q. lia.
      * assert (K : forall starts, ~ correct true false starts) by (apply (reading_required true); auto).
        apply (K false C).
Qed.
End Accumulation.

(** * Prop. 8.1: margins

    The margin of an axis is the largest that an operation needs; it depends neither on the order of the operations nor on repetitions. *)
Theorem margin_order (l l' : list nat) : (forall n, In n l <-> In n l') -> list_max l = list_max l'.
Proof.
  assert (H : forall l l', (forall n, In n l -> In n l') -> list_max l <= list_max l').
  { clear. intros l l' H. apply list_max_le, Forall_forall. intros n I.
    assert (K := proj1 (list_max_le l' (list_max l')) (le_n _)). rewrite Forall_forall in K. auto. }
  intros E. apply Nat.le_antisymm; apply H; intros n; apply E.
Qed.

(** * Axes with several variables *)
Open Scope Z_scope.

(** Prop. 7.6(i)(two terms): [s·x + t·y] of variables with m and n values. *)
Theorem two_terms_injective s t m n : 1 <= s -> 1 <= t -> 1 <= m -> 1 <= n ->
  ((forall x y x' y', 0 <= x < m -> 0 <= x' < m -> 0 <= y < n -> 0 <= y' < n -> s * x + t * y = s * x' + t * y' -> x = x' /\ y = y') <->
   m = 1 \/ n = 1 \/ m <= t / Z.gcd s t \/ n <= s / Z.gcd s t).
Proof.
  intros S T M N. set (g := Z.gcd s t).
  assert (G : 0 < g) by (assert (H := Z.gcd_nonneg s t); assert (g <> 0) by (intros E; apply Z.gcd_eq_0_l in E; lia); unfold g in *; lia).
  destruct (Z.gcd_divide_l s t) as [a A]. destruct (Z.gcd_divide_r s t) as [b B]. fold g in A, B.
  assert (Qa : s / g = a) by (rewrite A; apply Z.div_mul; lia). assert (Qb : t / g = b) by (rewrite B; apply Z.div_mul; lia).
  assert (Pa : 1 <= a) by nia. assert (Pb : 1 <= b) by nia. rewrite Qa, Qb.
  assert (R : Z.gcd a b = 1).
  { assert (H := Z.gcd_div_gcd s t g ltac:(lia) eq_refl). now rewrite Qa, Qb in H. }
  split.
  - intros I. destruct (Z.le_gt_cases m b) as [|L1]; auto. destruct (Z.le_gt_cases n a) as [|L2]; auto. exfalso.
    assert (H := I b 0 0 a ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia) ltac:(rewrite A, B; ring)). lia.
  - intros H x y x' y' X X' Y Y' E.
    assert (D : a * (x - x') = b * (y' - y)) by (apply (Z.mul_cancel_l _ _ g); [lia|]; rewrite A, B in E; lia).
    assert (Db : (b | x - x')).
    { apply (Z.gauss b a); [exists (y' - y); lia | rewrite Z.gcd_comm; exact R]. }
    destruct Db as [k K]. assert (L : y' - y = a * k) by nia.
    assert (k = 0 -> x = x' /\ y = y') by (intros ->; lia).
    destruct (Z.eq_dec k 0) as [|Nk]; auto. exfalso.
    assert (1 <= Z.abs k) by lia. assert (Z.abs (x - x') = Z.abs k * b) by (rewrite K, Z.abs_mul; f_equal; lia).
    assert (Z.abs (y' - y) = a * Z.abs k) by (rewrite L, Z.abs_mul; f_equal; lia). nia.
Qed.

(** Prop. 7.6(ii)(interval): the values of [Σ cⱼ·xⱼ], the largest coefficient first, each variable with at least two values. *)
Fixpoint reaches (l : list (Z * Z)) (v : Z) : Prop :=
  match l with
  | [] => v = 0
  | (c, n) :: l => exists x, 0 <= x < n /\ reaches l (v - c * x)
  end.
Fixpoint greatest (l : list (Z * Z)) : Z := match l with [] => 0 | (c, n) :: l => c * (n - 1) + greatest l end.
Fixpoint steps_fit (l : list (Z * Z)) : Prop := match l with [] => True | (c, _) :: l => c <= 1 + greatest l /\ steps_fit l end.
Fixpoint descending (l : list (Z * Z)) : Prop :=
  match l with [] => True | (c, n) :: l => 1 <= c /\ 2 <= n /\ Forall (fun p => fst p <= c) l /\ descending l end.

Lemma greatest_nonneg l : descending l -> 0 <= greatest l.
Proof. induction l as [|[c n] l IH]; cbn [app greatest descending steps_fit reaches fst snd]; [lia|]. intros (C & N & _ & D). specialize (IH D). nia. Qed.
Lemma reaches_range l v : descending l -> reaches l v -> 0 <= v <= greatest l.
Proof.
  revert v. induction l as [|[c n] l IH]; cbn [app greatest descending steps_fit reaches fst snd]; intros v; [lia|]. intros (C & N & _ & D) (x & X & R). specialize (IH _ D R). nia.
Qed.
(** A value below all coefficients of a front part is reached by the rest alone. *)
Lemma reaches_rest front rest v : Forall (fun p => v < fst p) front -> descending (front ++ rest) -> reaches (front ++ rest) v -> reaches rest v.
Proof.
  intros F. revert v F. induction front as [|[c n] front IH]; intros v F D R; [exact R|].
  inversion F as [|? ? V F']; subst. cbn [app greatest descending steps_fit reaches fst snd] in *. destruct D as (C & N & _ & D). destruct R as (x & X & R).
  assert (B := reaches_range _ _ D R). assert (x = 0) as -> by nia. apply IH; auto. now replace (v - c * 0) with v in R by lia.
Qed.
Theorem interval_iff l : descending l -> ((forall v, 0 <= v <= greatest l -> reaches l v) <-> steps_fit l).
Proof.
  intros D. split.
  - intros I.
    assert (H : forall front rest, l = front ++ rest -> steps_fit rest); [|now apply (H [])].
    intros front rest. revert front. induction rest as [|[c n] rest IH]; intros front E; cbn [app greatest descending steps_fit reaches fst snd]; auto.
    split; [|apply (IH (front ++ [(c, n)])); rewrite E, <- app_assoc; reflexivity].
    destruct (Z.le_gt_cases c (1 + greatest rest)) as [|L]; auto. exfalso.
    assert (Dr : descending ((c, n) :: rest)).
    { clear - D E. subst l. induction front as [|[a b] front IH]; cbn [app greatest descending steps_fit reaches fst snd] in *; tauto. }
    assert (G := greatest_nonneg _ (proj2 (proj2 (proj2 Dr)))).
    assert (Fr : Forall (fun p => 1 + greatest rest < fst p) front).
    { clear - D E L. subst l. induction front as [|[a b] front IH]; constructor; cbn [app greatest descending steps_fit reaches fst snd] in *.
      - destruct D as (_ & _ & F & _). rewrite Forall_forall in F. specialize (F (c, n) ltac:(apply in_or_app; right; now left)). cbn [app greatest descending steps_fit reaches fst snd] in F. lia.
      - apply IH. tauto. }
    assert (Top : 1 + greatest rest <= greatest l).
    { clear - D E Dr. subst l. induction front as [|[a b] front IH].
      - cbn [app greatest descending steps_fit reaches fst snd] in *. destruct Dr as (C & N & _). nia.
      - cbn [app greatest descending steps_fit reaches fst snd] in *. destruct D as (C & N & _ & D). specialize (IH D). nia. }
    assert (R := I (1 + greatest rest) ltac:(lia)). rewrite E in R, D.
    apply reaches_rest in R; auto. cbn [app greatest descending steps_fit reaches fst snd] in R. destruct R as (x & X & R).
    destruct Dr as (C & N & _ & Dr). assert (B := reaches_range _ _ Dr R). assert (x = 0) as -> by nia. lia.
  - clear -D. revert D. induction l as [|[c n] l IH]; cbn [app greatest descending steps_fit reaches fst snd]; intros D F v V; [lia|].
    destruct D as (C & N & _ & D), F as [L F]. specialize (IH D F). assert (G := greatest_nonneg l D).
    assert (M := Z.mod_pos_bound v c ltac:(lia)). assert (E := Z.div_mod v c ltac:(lia)).
    destruct (Z.le_gt_cases (v / c) (n - 1)) as [H|H].
    + exists (v / c). split; [split; [apply Z.div_pos; lia | lia]|]. apply IH. lia.
    + exists (n - 1). split; [lia|]. apply IH. nia.
Qed.
