(** §4, Prop. 4.6: facts about ranks as a weighted graph on row variables. *)
From Coq Require Import List String ZArith Lia Bool.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** An edge [(u, k, v)] is the fact that the rank of u is at least that of v plus k. Weights may be negative. *)
Definition edge := (string * Z * string)%type.
Definition from_ (e : edge) : string := fst (fst e).
Definition weight (e : edge) : Z := snd (fst e).
Definition to_ (e : edge) : string := snd e.

Definition satisfied (E : list edge) (ranks : string -> Z) : Prop :=
  forall e, In e E -> ranks (to_ e) + weight e <= ranks (from_ e).

Inductive walk (E : list edge) : string -> Z -> string -> Prop :=
| walk_nil u : walk E u 0 u
| walk_cons e k v : In e E -> walk E (to_ e) k v -> walk E (from_ e) (weight e + k) v.
Definition positive_cycle (E : list edge) : Prop := exists u k, walk E u k u /\ 0 < k.

Lemma walk_bound E ranks u k v : satisfied E ranks -> walk E u k v -> ranks v + k <= ranks u.
Proof. intros S. induction 1 as [u|e k v I _ IH]; [lia|]. specialize (S e I). lia. Qed.
Lemma walk_app E u k v j w : walk E u k v -> walk E v j w -> walk E u (k + j) w.
Proof.
  induction 1 as [u|e k v I _ IH]; intros W; [exact W|]. rewrite <- Z.add_assoc. apply walk_cons; auto.
Qed.
Lemma walk_edge E e : In e E -> walk E (from_ e) (weight e) (to_ e).
Proof. intros I. replace (weight e) with (weight e + 0) by lia. apply walk_cons; auto. apply walk_nil. Qed.

(** * Elimination of a variable: each pair of an edge into it and an edge out of it becomes one edge *)

Definition touches (v : string) (e : edge) : bool := String.eqb (from_ e) v || String.eqb (to_ e) v.
Definition into (v : string) (E : list edge) : list edge := filter (fun e => negb (String.eqb (from_ e) v) && String.eqb (to_ e) v) E.
Definition out_of (v : string) (E : list edge) : list edge := filter (fun e => String.eqb (from_ e) v && negb (String.eqb (to_ e) v)) E.
Definition joined (e f : edge) : edge := (from_ e, weight e + weight f, to_ f).
Definition eliminated (v : string) (E : list edge) : list edge :=
  filter (fun e => negb (touches v e)) E ++ flat_map (fun e => map (joined e) (out_of v E)) (into v E).

Lemma in_into v E e : In e (into v E) <-> In e E /\ from_ e <> v /\ to_ e = v.
Proof. unfold into. rewrite filter_In, andb_true_iff, negb_true_iff, String.eqb_neq, String.eqb_eq. tauto. Qed.
Lemma in_out_of v E e : In e (out_of v E) <-> In e E /\ from_ e = v /\ to_ e <> v.
Proof. unfold out_of. rewrite filter_In, andb_true_iff, negb_true_iff, String.eqb_neq, String.eqb_eq. tauto. Qed.
Lemma in_eliminated v E e : In e (eliminated v E) <->
  In e E /\ from_ e <> v /\ to_ e <> v \/ exists a b, In a (into v E) /\ In b (out_of v E) /\ e = joined a b.
Proof.
  unfold eliminated. rewrite in_app_iff, filter_In, in_flat_map. unfold touches.
  rewrite negb_true_iff, orb_false_iff, !String.eqb_neq. split.
  - intros [H|(a & A & I)]; [tauto|]. apply in_map_iff in I as (b & <- & B). eauto 7.
  - intros [H|(a & b & A & B & ->)]; [tauto|]. right. exists a. split; auto. now apply in_map.
Qed.
Lemma eliminated_walk v E u k w : walk (eliminated v E) u k w -> walk E u k w.
Proof.
  induction 1 as [u|e k w I _ IH]; [apply walk_nil|]. apply in_eliminated in I as [[I _]|(a & b & A & B & ->)].
  - now apply walk_cons.
  - apply in_into in A as (A & _ & Av). apply in_out_of in B as (B & Bv & _).
    apply walk_app with (to_ (joined a b)); [|exact IH]. cbn.
    apply walk_app with (to_ a); [now apply walk_edge|]. rewrite Av, <- Bv. now apply walk_edge.
Qed.

(** A number that is low enough for finitely many bounds. *)
Lemma low_enough (l : list edge) (ranks : string -> Z) : exists d, forall e, In e l -> d + weight e <= ranks (from_ e).
Proof.
  induction l as [|a l [d D]]; [exists 0; intros e []|].
  exists (Z.min d (ranks (from_ a) - weight a)). intros e [<-|I]; [lia|]. specialize (D e I). lia.
Qed.
(** The greatest of some bounds, or a given number. *)
Lemma highest (l : list edge) (ranks : string -> Z) d : exists z, (forall e, In e l -> ranks (to_ e) + weight e <= z) /\
  (z = d \/ exists e, In e l /\ z = ranks (to_ e) + weight e).
Proof.
  induction l as [|a l (z & Z1 & Z2)]; [exists d; split; [intros e [] | auto]|].
  destruct (Z.le_gt_cases (ranks (to_ a) + weight a) z) as [L|L].
  - exists z. split; [intros e [<-|I]; auto|]. destruct Z2 as [->|(e & I & ->)]; [auto | right; exists e; split; auto; now right].
  - exists (ranks (to_ a) + weight a). split; [intros e [<-|I]; [lia | specialize (Z1 e I); lia]|].
    right. exists a. split; auto. now left.
Qed.

Lemma satisfiable_over_integers vs : forall E, (forall e, In e E -> In (from_ e) vs /\ In (to_ e) vs) -> ~ positive_cycle E ->
  exists ranks, satisfied E ranks.
Proof.
  induction vs as [|v vs IH]; intros E V N.
  { exists (fun _ => 0). intros e I. destruct (V e I) as [[] _]. }
  destruct (IH (eliminated v E)) as [ranks S].
  - intros e I. apply in_eliminated in I as [(I & A & B)|(a & b & A & B & ->)].
    + destruct (V e I) as [[X|X] [Y|Y]]; try congruence. auto.
    + apply in_into in A as (A & A1 & A2). apply in_out_of in B as (B & B1 & B2).
      destruct (V a A) as [[X|X] _]; [congruence|]. destruct (V b B) as [_ [Y|Y]]; [congruence|]. cbn. auto.
  - intros (u & k & W & P). apply N. exists u, k. split; auto. now apply eliminated_walk in W.
  - destruct (low_enough (into v E) ranks) as [d D]. destruct (highest (out_of v E) ranks d) as (z & Z1 & Z2).
    exists (fun x => if String.eqb x v then z else ranks x). intros e I.
    destruct (String.eqb_spec (to_ e) v) as [T|T], (String.eqb_spec (from_ e) v) as [F|F].
    + assert (weight e <= 0); [|lia]. destruct (Z.le_gt_cases (weight e) 0) as [|L]; auto. exfalso. apply N.
      exists v, (weight e). split; [|lia]. assert (W := walk_edge E e I). now rewrite F, T in W.
    + assert (A : In e (into v E)) by now apply in_into. destruct Z2 as [->|(b & B & ->)]; [now apply D|].
      assert (K := S (joined e b)). cbn in K. unfold joined, to_, weight, from_ in *; cbn in *.
      assert (ranks (snd b) + (snd (fst e) + snd (fst b)) <= ranks (fst (fst e))); [|lia].
      apply K. apply in_eliminated. right. eauto.
    + apply Z1. now apply in_out_of.
    + apply S. apply in_eliminated. auto.
Qed.

(** Prop. 4.6: the facts are satisfiable over the natural numbers iff no cycle has a positive weight. So the guard, which fails where there is
    one, fails exactly where the facts are jointly unsatisfiable. *)
Theorem facts_satisfiable E : (exists ranks : string -> nat, satisfied E (fun x => Z.of_nat (ranks x))) <-> ~ positive_cycle E.
Proof.
  split.
  - intros [ranks S] (u & k & W & P). apply (walk_bound _ _ _ _ _ S) in W. lia.
  - intros N. set (vs := map from_ E ++ map to_ E).
    assert (V : forall e, In e E -> In (from_ e) vs /\ In (to_ e) vs).
    { intros e I. unfold vs. rewrite !in_app_iff. split; [left|right]; now apply in_map. }
    destruct (satisfiable_over_integers vs E V N) as [ranks S].
    assert (L : exists m, forall x, In x vs -> 0 <= ranks x + m).
    { generalize vs. induction vs0 as [|y l [m H]]; [exists 0; intros x []|].
      exists (Z.max m (- ranks y)). intros x [<-|I]; [lia | specialize (H x I); lia]. }
    destruct L as [m L]. exists (fun x => Z.to_nat (ranks x + m)). intros e I. destruct (V e I) as [A B].
    apply L in A, B. specialize (S e I). rewrite !Z2Nat.id by auto. lia.
Qed.
