(** §7, projections of one operation: its equations, the solver (Def. 7.3), canonicity (Thm. 7.4 repaired, Rem. 7.9), and why index maps stay
    in their axes (Thm. 7.8). *)
From Coq Require Import List Arith Lia Bool Permutation.
From Lozenge Require Import Lists.
Import ListNotations.
Open Scope list_scope.

(** * Def. 7.1: axes are numbers; equations between them and given indices *)

Definition axis := nat.
Inductive index := Fix (c : nat) | Ext (s : nat).
Inductive atom := Proj (p : axis) | Sol (i : index).
Inductive equation := Eq (a b : atom) | Iter (a : atom).

Lemma index_eq_dec (i j : index) : {i = j} + {i <> j}.
Proof. decide equality; apply Nat.eq_dec. Defined.

(** The least equivalence that the equations between axes justify, and what holds of a class of it. *)
Inductive same (E : list equation) : axis -> axis -> Prop :=
| same_refl p : same E p p
| same_eq p q : In (Eq (Proj p) (Proj q)) E -> same E p q
| same_sym p q : same E p q -> same E q p
| same_trans p q r : same E p q -> same E q r -> same E p r.

Definition pins (E : list equation) (p : axis) (i : index) : Prop := In (Eq (Proj p) (Sol i)) E \/ In (Eq (Sol i) (Proj p)) E.
Definition pinned (E : list equation) (p : axis) (i : index) : Prop := exists q, same E p q /\ pins E q i.
Definition iterated (E : list equation) (p : axis) : Prop := exists q, same E p q /\ In (Iter (Proj q)) E.

(** Conditions (a) to (c) of Thm. 7.4, as what must not fail. *)
Record consistent (E : list equation) (sz : axis -> nat) : Prop := {
  one_size : forall p q, same E p q -> sz p = sz q;
  one_pin : forall p i j, pinned E p i -> pinned E p j -> i = j;
  equal_given : forall i j, In (Eq (Sol i) (Sol j)) E -> i = j }.

(** It is the least one: every equivalence that has the equations contains it. *)
Theorem same_least E (R : axis -> axis -> Prop) :
  (forall p, R p p) -> (forall p q, R p q -> R q p) -> (forall p q r, R p q -> R q r -> R p r) ->
  (forall p q, In (Eq (Proj p) (Proj q)) E -> R p q) -> forall p q, same E p q -> R p q.
Proof. intros A B C D p q. induction 1; eauto. Qed.

Lemma same_weaken E E' p q : (forall x, In x E -> In x E') -> same E p q -> same E' p q.
Proof. intros H. induction 1; [apply same_refl | apply same_eq, H; auto | apply same_sym; auto | eapply same_trans; eauto]. Qed.
Lemma pinned_weaken E E' p i : (forall x, In x E -> In x E') -> pinned E p i -> pinned E' p i.
Proof. intros H (q & S & [I|I]); exists q; split; eauto using same_weaken; [left|right]; auto. Qed.
Lemma iterated_weaken E E' p : (forall x, In x E -> In x E') -> iterated E p -> iterated E' p.
Proof. intros H (q & S & I). exists q. eauto using same_weaken. Qed.
Lemma consistent_weaken E E' sz : (forall x, In x E' -> In x E) -> consistent E sz -> consistent E' sz.
Proof.
  intros H [A B C]. constructor; intros.
  - apply A. eapply same_weaken; eauto.
  - eapply B; eapply pinned_weaken; eauto.
  - apply C. auto.
Qed.

(** * Def. 7.3: the solver

    A single pass over the equations. The partition is the function from an axis to the representative of its class; pins and
    iterates are those of representatives. *)
Record state := State { rep : axis -> axis; pin : axis -> option index; iter : axis -> bool }.
Definition start : state := State (fun p => p) (fun _ => None) (fun _ => false).

(** The pins of two classes together; [None] where they conflict. *)
Definition merged (a b : option index) : option (option index) :=
  match a, b with
  | None, c | c, None => Some c
  | Some i, Some j => if index_eq_dec i j then Some (Some i) else None
  end.
Definition set {A} (f : axis -> A) (a : axis) (v : A) (x : axis) : A := if Nat.eqb x a then v else f x.

Definition union (sz : axis -> nat) (s : state) (p q : axis) : option state :=
  let a := rep s p in let b := rep s q in
  if Nat.eqb a b then Some s
  else if Nat.eqb (sz a) (sz b) then
    match merged (pin s a) (pin s b) with
    | Some c => Some (State (fun x => if Nat.eqb (rep s x) a then b else rep s x) (set (pin s) b c) (set (iter s) b (iter s a || iter s b)))
    | None => None
    end
  else None.
Definition set_pin (s : state) (p : axis) (i : index) : option state :=
  match merged (Some i) (pin s (rep s p)) with
  | Some c => Some (State (rep s) (set (pin s) (rep s p) c) (iter s))
  | None => None
  end.
Definition step (sz : axis -> nat) (e : equation) (s : state) : option state :=
  match e with
  | Eq (Proj p) (Proj q) => union sz s p q
  | Eq (Proj p) (Sol i) | Eq (Sol i) (Proj p) => set_pin s p i
  | Eq (Sol i) (Sol j) => if index_eq_dec i j then Some s else None
  | Iter (Proj p) => Some (State (rep s) (pin s) (set (iter s) (rep s p) true))
  | Iter (Sol _) => Some s
  end.
Fixpoint solve (sz : axis -> nat) (E : list equation) : option state :=
  match E with
  | [] => Some start
  | e :: E => match solve sz E with Some s => step sz e s | None => None end
  end.

(** The meaning of a state. *)
Record means (sz : axis -> nat) (E : list equation) (s : state) : Prop := {
  means_rep : forall p q, rep s p = rep s q <-> same E p q;
  means_own : forall p, rep s (rep s p) = rep s p;
  means_pin : forall p i, pin s (rep s p) = Some i <-> pinned E p i;
  means_iter : forall p, iter s (rep s p) = true <-> iterated E p;
  means_consistent : consistent E sz }.

Lemma same_start p q : same [] p q <-> p = q.
Proof.
  split; [|intros ->; apply same_refl]. induction 1; auto; try congruence. contradiction.
Qed.
Lemma means_start sz : means sz [] start.
Proof.
  constructor; simpl; auto.
  - intros. symmetry. apply same_start.
  - intros p i. split; [discriminate | intros (q & _ & [[]|[]])].
  - intros p. split; [discriminate | intros (q & _ & [])].
  - constructor.
    + intros p q H. apply same_start in H. congruence.
    + intros p i j (q & _ & [[]|[]]).
    + intros i j [].
Qed.

(** The equivalence with one more pair. *)
Lemma same_pair E a b p q : same (Eq (Proj a) (Proj b) :: E) p q <->
  same E p q \/ same E p a /\ same E b q \/ same E p b /\ same E a q.
Proof.
  split.
  - induction 1 as [p|p q [[= -> ->]|I]|p q _ IH|p q r _ IH1 _ IH2].
    + left. apply same_refl.
    + right; left. split; apply same_refl.
    + left. now apply same_eq.
    + destruct IH as [?|[[? ?]|[? ?]]]; [left|right; right|right; left]; try split; auto using same_sym.
    + destruct IH1 as [?|[[? ?]|[? ?]]], IH2 as [?|[[? ?]|[? ?]]];
        first [left; solve [eauto 3 using same_trans] | right; left; split; solve [eauto 3 using same_trans]
              | right; right; split; solve [eauto 3 using same_trans]].
  - assert (W : forall p q, same E p q -> same (Eq (Proj a) (Proj b) :: E) p q) 
      by (intros x y; apply same_weaken; intros; now right).
    assert (K : same (Eq (Proj a) (Proj b) :: E) a b) by (apply same_eq; now left).
    intros [H|[[H1 H2]|[H1 H2]]]; auto.
    + apply same_trans with a; auto. apply same_trans with b; auto.
    + apply same_trans with b; auto. apply same_trans with a; auto using same_sym.
Qed.

(** An equation that is no pair of axes leaves the equivalence as it is. *)
Lemma same_other e E p q : (forall a b, e <> Eq (Proj a) (Proj b)) -> (same (e :: E) p q <-> same E p q).
Proof.
  intros N. split; [|apply same_weaken; auto using in_cons].
  induction 1 as [p|p q [->|I]|p q _ IH|p q r _ IH1 _ IH2]; eauto using same_refl, same_eq, same_sym, same_trans.
  exfalso. eapply N; eauto.
Qed.

Lemma pinned_class E p q i : same E p q -> pinned E p i -> pinned E q i.
Proof. intros S (r & K & I). exists r. eauto using same_trans, same_sym. Qed.
Lemma iterated_class E p q : same E p q -> iterated E p -> iterated E q.
Proof. intros S (r & K & I). exists r. eauto using same_trans, same_sym. Qed.

Lemma pinned_pair E a b p i : pinned (Eq (Proj a) (Proj b) :: E) p i <->
  pinned E p i \/ (same E p a \/ same E p b) /\ (pinned E a i \/ pinned E b i).
Proof.
  unfold pinned at 1, pins. split.
  - intros (q & S & I). assert (P : pins E q i) by (destruct I as [[I|I]|[I|I]]; try discriminate I; [left|right]; auto).
    apply same_pair in S as [S|[[S1 S2]|[S1 S2]]].
    + left. exists q. auto.
    + right. split; auto. right. exists q. auto.
    + right. split; auto. left. exists q. auto.
  - assert (P : forall q, pins E q i -> pins (Eq (Proj a) (Proj b) :: E) q i) by (intros q [I|I]; [left|right]; now right).
    intros [(q & S & I)|[S [(q & K & I)|(q & K & I)]]]; exists q; (split; [|apply P; exact I]); apply same_pair.
    + auto.
    + destruct S as [S|S]; [left; eauto using same_trans | right; right; split; auto].
    + destruct S as [S|S]; [right; left; split; auto | left; eauto using same_trans].
Qed.
Lemma iterated_pair E a b p : iterated (Eq (Proj a) (Proj b) :: E) p <->
  iterated E p \/ (same E p a \/ same E p b) /\ (iterated E a \/ iterated E b).
Proof.
  unfold iterated at 1. split.
  - intros (q & S & [I|I]); [discriminate I|]. apply same_pair in S as [S|[[S1 S2]|[S1 S2]]].
    + left. exists q. auto.
    + right. split; auto. right. exists q. auto.
    + right. split; auto. left. exists q. auto.
  - intros [(q & S & I)|[S [(q & K & I)|(q & K & I)]]]; exists q; (split; [|now right]); apply same_pair.
    + auto.
    + destruct S as [S|S]; [left; eauto using same_trans | right; right; split; auto].
    + destruct S as [S|S]; [right; left; split; auto | left; eauto using same_trans].
Qed.

Lemma merged_some a b c : merged a b = Some c -> forall i, c = Some i <-> a = Some i \/ b = Some i.
Proof.
  destruct a as [j|], b as [k|]; simpl; try (intros [= <-]; intuition congruence).
  destruct (index_eq_dec j k) as [<-|]; [|discriminate]. intros [= <-]. intuition congruence.
Qed.
Lemma merged_none a b : merged a b = None -> exists i j, a = Some i /\ b = Some j /\ i <> j.
Proof. destruct a as [j|], b as [k|]; simpl; try discriminate. destruct (index_eq_dec j k); [discriminate|]. eauto. Qed.

Lemma union_means sz E s p q : means sz E s ->
  match union sz s p q with
  | Some s' => means sz (Eq (Proj p) (Proj q) :: E) s'
  | None => ~ consistent (Eq (Proj p) (Proj q) :: E) sz
  end.
Proof.
  intros [R O P I C]. unfold union. set (a := rep s p). set (b := rep s q).
  assert (Sp : forall x, rep s x = a <-> same E x p) by (intros; apply R).
  assert (Sq : forall x, rep s x = b <-> same E x q) by (intros; apply R).
  assert (Ra : rep s a = a) by apply O. assert (Rb : rep s b = b) by apply O.
  assert (Za : sz a = sz p) by (apply (one_size _ _ C); now apply Sp).
  assert (Zb : sz b = sz q) by (apply (one_size _ _ C); now apply Sq).
  assert (Pa : forall i, pin s a = Some i <-> pinned E p i) by (intros; apply P).
  assert (Pb : forall i, pin s b = Some i <-> pinned E q i) by (intros; apply P).
  assert (Ia : iter s a = true <-> iterated E p) by apply I. assert (Ib : iter s b = true <-> iterated E q) by apply I.
  destruct (Nat.eqb_spec a b) as [Q|N].
  - assert (S : same E p q) by now apply R.
    assert (W : forall x y, same (Eq (Proj p) (Proj q) :: E) x y <-> same E x y).
    { intros x y. rewrite same_pair. split; [|auto]. intros [H|[[H1 H2]|[H1 H2]]]; eauto using same_trans, same_sym. }
    assert (WP : forall x i, pinned (Eq (Proj p) (Proj q) :: E) x i <-> pinned E x i).
    { intros x i. rewrite pinned_pair. split; [|auto].
      intros [H|[[H|H] [K|K]]]; eauto using pinned_class, same_sym, same_trans. }
    assert (WI : forall x, iterated (Eq (Proj p) (Proj q) :: E) x <-> iterated E x).
    { intros x. rewrite iterated_pair. split; [|auto].
      intros [H|[[H|H] [K|K]]]; eauto using iterated_class, same_sym, same_trans. }
    constructor; auto; intros; rewrite ?W, ?WP, ?WI; auto. constructor.
    + intros x y H. apply W in H. now apply (one_size _ _ C).
    + intros x i j H K. apply WP in H, K. eapply (one_pin _ _ C); eauto.
    + intros i j [H|H]; [discriminate H | now apply (equal_given _ _ C)].
  - destruct (Nat.eqb_spec (sz a) (sz b)) as [Z|Z].
    + destruct (merged (pin s a) (pin s b)) as [c|] eqn:M.
      * set (rep' := fun x => if Nat.eqb (rep s x) a then b else rep s x).
        assert (A' : forall x, rep' x = b <-> same E x p \/ same E x q).
        { intros x. unfold rep'. destruct (Nat.eqb_spec (rep s x) a) as [H|H]; rewrite <- Sp, <- Sq; tauto. }
        assert (B' : forall x, rep' x <> b -> rep' x = rep s x /\ rep s x <> a).
        { intros x. unfold rep'. destruct (Nat.eqb_spec (rep s x) a); tauto. }
        assert (Rep : forall x y, rep' x = rep' y <-> same (Eq (Proj p) (Proj q) :: E) x y).
        { intros x y. rewrite same_pair. split.
          - intros H. destruct (Nat.eq_dec (rep' x) b) as [Bx|Nx].
            + assert (By : rep' y = b) by congruence. apply A' in Bx, By.
              destruct Bx as [Bx|Bx], By as [By|By]; eauto 6 using same_trans, same_sym.
            + assert (Ny : rep' y <> b) by congruence. apply B' in Nx as [Ex _], Ny as [Ey _]. left. apply R. congruence.
          - intros [H|[[H1 H2]|[H1 H2]]].
            + apply R in H. unfold rep'. now rewrite H.
            + transitivity b; [|symmetry]; apply A'; eauto using same_sym.
            + transitivity b; [|symmetry]; apply A'; eauto using same_sym. }
        assert (Own : forall x, rep' (rep' x) = rep' x).
        { intros x. destruct (Nat.eq_dec (rep' x) b) as [Bx|Nx].
          - rewrite Bx. apply A'. right. now apply Sq.
          - destruct (B' x Nx) as [Ex Ax]. rewrite Ex. unfold rep'. rewrite O. destruct (Nat.eqb_spec (rep s x) a); [contradiction | auto]. }
        assert (Pin : forall x i, set (pin s) b c (rep' x) = Some i <-> pinned (Eq (Proj p) (Proj q) :: E) x i).
        { intros x i. rewrite pinned_pair. unfold set. destruct (Nat.eqb_spec (rep' x) b) as [Bx|Nx].
          - rewrite (merged_some _ _ _ M i), Pa, Pb. apply A' in Bx. split; [auto|].
            intros [H|[_ H]]; auto. destruct Bx as [Bx|Bx]; [left|right]; eapply pinned_class; eauto.
          - destruct (B' x Nx) as [Ex Ax]. rewrite Ex, P. split; [auto|]. intros [H|[K _]]; auto.
            exfalso. apply Nx. apply A'. exact K. }
        assert (It : forall x, set (iter s) b (iter s a || iter s b) (rep' x) = true <-> iterated (Eq (Proj p) (Proj q) :: E) x).
        { intros x. rewrite iterated_pair. unfold set. destruct (Nat.eqb_spec (rep' x) b) as [Bx|Nx].
          - rewrite orb_true_iff, Ia, Ib. apply A' in Bx. split; [auto|].
            intros [H|[_ H]]; auto. destruct Bx as [Bx|Bx]; [left|right]; eapply iterated_class; eauto.
          - destruct (B' x Nx) as [Ex Ax]. rewrite Ex, I. split; [auto|]. intros [H|[K _]]; auto.
            exfalso. apply Nx. apply A'. exact K. }
        constructor; simpl; auto. constructor.
        -- intros x y H. apply same_pair in H as [H|[[H1 H2]|[H1 H2]]].
           ++ now apply (one_size _ _ C).
           ++ apply (one_size _ _ C) in H1, H2. congruence.
           ++ apply (one_size _ _ C) in H1, H2. congruence.
        -- intros x i j H K. apply Pin in H, K. congruence.
        -- intros i j [H|H]; [discriminate H | now apply (equal_given _ _ C)].
      * apply merged_none in M as (i & j & Mi & Mj & D). apply Pa in Mi. apply Pb in Mj. intros C'. apply D.
        apply (one_pin _ _ C' p); apply pinned_pair; [left; exact Mi | right; split; [left; apply same_refl | right; exact Mj]].
    + intros C'. apply Z. rewrite Za, Zb. apply (one_size _ _ C'). apply same_eq. now left.
Qed.

Lemma pinned_pin e E p i x k : (e = Eq (Proj p) (Sol i) \/ e = Eq (Sol i) (Proj p)) ->
  (pinned (e :: E) x k <-> pinned E x k \/ same E x p /\ k = i).
Proof.
  intros D. assert (S : forall a b, same (e :: E) a b <-> same E a b) by (intros; apply same_other; destruct D; subst; congruence).
  unfold pinned at 1, pins. split.
  - intros (q & K & I). apply S in K.
    assert (J : pins E q k \/ q = p /\ k = i).
    { destruct D; subst; destruct I as [[I|I]|[I|I]]; try discriminate I; try (injection I as -> ->; auto); left; [left|right|left|right]; exact I. }
    destruct J as [J|[-> ->]]; [left; exists q|]; auto.
  - intros [(q & K & [I|I])|[K ->]].
    + exists q. split; [now apply S|]. left. now right.
    + exists q. split; [now apply S|]. right. now right.
    + exists p. split; [now apply S|]. destruct D; subst; [left|right]; now left.
Qed.
Lemma iterated_same_pairs e E x : (forall a b, e <> Eq (Proj a) (Proj b)) -> (forall a, e <> Iter (Proj a)) ->
  (iterated (e :: E) x <-> iterated E x).
Proof.
  intros N M. unfold iterated. split; intros (q & S & I); exists q.
  - apply same_other in S; auto. destruct I as [->|I]; [exfalso; eapply M; eauto | auto].
  - split; [apply same_other; auto | now right].
Qed.
Lemma pinned_same_pairs e E x k : (forall a b, e <> Eq (Proj a) (Proj b)) ->
  (forall a i, e <> Eq (Proj a) (Sol i) /\ e <> Eq (Sol i) (Proj a)) -> (pinned (e :: E) x k <-> pinned E x k).
Proof.
  intros N M. unfold pinned, pins. split; intros (q & S & I); exists q.
  - apply same_other in S; auto. split; auto. destruct I as [[I|I]|[I|I]]; auto; exfalso; destruct (M q k); auto.
  - split; [apply same_other; auto|]. destruct I; [left|right]; now right.
Qed.

Lemma set_pin_means sz E s p i e : (e = Eq (Proj p) (Sol i) \/ e = Eq (Sol i) (Proj p)) -> means sz E s ->
  match set_pin s p i with Some s' => means sz (e :: E) s' | None => ~ consistent (e :: E) sz end.
Proof.
  intros D [R O P I C]. unfold set_pin.
  assert (N : forall a b, e <> Eq (Proj a) (Proj b)) by (destruct D; subst; congruence).
  assert (Ni : forall a, e <> Iter (Proj a)) by (destruct D; subst; congruence).
  assert (S : forall a b, same (e :: E) a b <-> same E a b) by (intros; now apply same_other).
  assert (Q := fun x k => pinned_pin e E p i x k D).
  destruct (merged (Some i) (pin s (rep s p))) as [c|] eqn:M.
  - assert (Pin : forall x k, set (pin s) (rep s p) c (rep s x) = Some k <-> pinned (e :: E) x k).
    { intros x k. rewrite Q. unfold set. destruct (Nat.eqb_spec (rep s x) (rep s p)) as [K|K].
      - rewrite (merged_some _ _ _ M k), <- K, P. apply R in K. split; [intros [[= ->]|H]; auto | intros [H|[_ ->]]; auto].
      - rewrite P. split; [auto|]. intros [H|[H _]]; auto. exfalso. apply K. now apply R. }
    constructor; simpl; auto; intros; rewrite ?S; auto.
    + rewrite I. symmetry. now apply iterated_same_pairs.
    + constructor.
      * intros x y H. apply (one_size _ _ C). now apply S.
      * intros x k l H K. apply Pin in H, K. congruence.
      * intros k l [H|H]; [destruct D; subst; discriminate H | now apply (equal_given _ _ C)].
  - apply merged_none in M as (k & l & [= <-] & Ml & Dl). apply P in Ml. intros C'. apply Dl.
    apply (one_pin _ _ C' p); apply Q; [right; split; [apply same_refl | reflexivity] | now left].
Qed.

Lemma step_means sz E s e : means sz E s ->
  match step sz e s with Some s' => means sz (e :: E) s' | None => ~ consistent (e :: E) sz end.
Proof.
  intros Ms. destruct e as [[p|i] [q|j]|[p|i]]; cbn [step].
  - now apply union_means.
  - apply set_pin_means; auto.
  - apply set_pin_means; auto.
  - destruct Ms as [R O P I C]. destruct (index_eq_dec i j) as [<-|D].
    + assert (S : forall a b, same (Eq (Sol i) (Sol i) :: E) a b <-> same E a b) by (intros; apply same_other; discriminate).
      assert (Q : forall x k, pinned (Eq (Sol i) (Sol i) :: E) x k <-> pinned E x k)
        by (intros; apply pinned_same_pairs; [discriminate | split; discriminate]).
      constructor; auto; intros; rewrite ?S, ?Q; auto.
      * rewrite I. symmetry. apply iterated_same_pairs; discriminate.
      * constructor.
        -- intros x y H. apply (one_size _ _ C). now apply S.
        -- intros x k l H K. apply Q in H, K. eapply (one_pin _ _ C); eauto.
        -- intros k l [[= <- <-]|H]; auto. now apply (equal_given _ _ C).
    + intros C'. apply D. apply (equal_given _ _ C'). now left.
  - destruct Ms as [R O P I C].
    assert (S : forall a b, same (Iter (Proj p) :: E) a b <-> same E a b) by (intros; apply same_other; discriminate).
    assert (Q : forall x k, pinned (Iter (Proj p) :: E) x k <-> pinned E x k)
      by (intros; apply pinned_same_pairs; [discriminate | split; discriminate]).
    constructor; simpl; auto; intros; rewrite ?S, ?Q; auto.
    + unfold set. destruct (Nat.eqb_spec (rep s p0) (rep s p)) as [K|K].
      * split; [|auto]. intros _. exists p. split; [|now left]. apply S. now apply R.
      * rewrite I. split.
        -- apply iterated_weaken. intros; now right.
        -- intros (q & H & [[= <-]|J]); apply S in H; [exfalso; apply K; now apply R | now exists q].
    + constructor.
      * intros x y H. apply (one_size _ _ C). now apply S.
      * intros x k l H K. apply Q in H, K. eapply (one_pin _ _ C); eauto.
      * intros k l [H|H]; [discriminate H | now apply (equal_given _ _ C)].
  - destruct Ms as [R O P I C].
    assert (S : forall a b, same (Iter (Sol i) :: E) a b <-> same E a b) by (intros; apply same_other; discriminate).
    assert (Q : forall x k, pinned (Iter (Sol i) :: E) x k <-> pinned E x k)
      by (intros; apply pinned_same_pairs; [discriminate | split; discriminate]).
    constructor; auto; intros; rewrite ?S, ?Q; auto.
    + rewrite I. symmetry. apply iterated_same_pairs; discriminate.
    + constructor.
      * intros x y H. apply (one_size _ _ C). now apply S.
      * intros x k l H K. apply Q in H, K. eapply (one_pin _ _ C); eauto.
      * intros k l [H|H]; [discriminate H | now apply (equal_given _ _ C)].
Qed.

(** * Thm. 7.4 repaired: canonicity *)

(** The solver fails iff (a), (b) or (c) holds; otherwise its state has the least equivalence, its pins and its iterates. *)
Theorem solve_exact sz E :
  match solve sz E with Some s => means sz E s | None => ~ consistent E sz end.
Proof.
  induction E as [|e E IH]; cbn [solve]; [apply means_start|].
  destruct (solve sz E) as [s|].
  - now apply step_means.
  - intros C. apply IH. eapply consistent_weaken; [|exact C]. intros; now right.
Qed.
Theorem solve_fails sz E : solve sz E = None <-> ~ consistent E sz.
Proof.
  assert (H := solve_exact sz E). destruct (solve sz E) as [s|]; split; try discriminate; auto.
  intros N. exfalso. apply N, (means_consistent _ _ _ H).
Qed.

(** So partition, pins and iterates do not depend on the order of the equations, nor on repetitions. *)
Theorem solve_order sz E E' s : (forall e, In e E <-> In e E') -> solve sz E = Some s ->
  exists s', solve sz E' = Some s' /\ (forall p q, rep s p = rep s q <-> rep s' p = rep s' q) /\
    (forall p, pin s (rep s p) = pin s' (rep s' p)) /\ (forall p, iter s (rep s p) = iter s' (rep s' p)).
Proof.
  intros H D. assert (M := solve_exact sz E). rewrite D in M. assert (M' := solve_exact sz E').
  destruct (solve sz E') as [s'|].
  2: { exfalso. apply M'. eapply consistent_weaken; [|exact (means_consistent _ _ _ M)]. intros x. apply H. }
  destruct M as [R _ P I _], M' as [R' _ P' I' _]. exists s'. split; [auto|].
  assert (S : forall p q, same E p q <-> same E' p q) by (intros; split; apply same_weaken; intros x; apply H).
  assert (Pn : forall p i, pinned E p i <-> pinned E' p i) by (intros; split; apply pinned_weaken; intros x; apply H).
  assert (In' : forall p, iterated E p <-> iterated E' p) by (intros; split; apply iterated_weaken; intros x; apply H).
  split; [|split].
  - intros. rewrite R, R'. apply S.
  - intros p. destruct (pin s (rep s p)) as [i|] eqn:A.
    + symmetry. apply P', Pn, P. exact A.
    + destruct (pin s' (rep s' p)) as [j|] eqn:B; auto. apply P', Pn, P in B. congruence.
  - intros p. apply eq_true_iff_eq. rewrite I, I'. apply In'.
Qed.

(** * The labelling, and its uniqueness *)

Inductive label := LIter (j : nat) | LFix (c : nat) | LExt (s : nat).
Definition of_index (i : index) : label := match i with Fix c => LFix c | Ext s => LExt s end.

(** A labelling that Def. 7.3 allows. Loop variables are numbers of factors. *)
Record labelling (E : list equation) (sz : axis -> nat) (lab : axis -> label) (factors : list nat) : Prop := {
  lab_class : forall p q, same E p q -> lab p = lab q;
  lab_pin : forall p i, pinned E p i -> lab p = of_index i;
  lab_iter : forall p, iterated E p -> (forall i, ~ pinned E p i) -> 1 < sz p ->
             exists j, lab p = LIter j /\ nth_error factors j = Some (sz p);
  lab_sep : forall p q j, lab p = LIter j -> lab q = LIter j -> same E p q;
  lab_only : forall p j, lab p = LIter j -> iterated E p /\ 1 < sz p /\ (forall i, ~ pinned E p i);
  lab_default : forall p, (forall i, ~ pinned E p i) -> ~ (iterated E p /\ 1 < sz p) -> lab p = LFix 0 }.

(** The labelling that the solver gives to the axes below [n]: a factor for each class that is iterated, not pinned and longer than 1. *)
Definition is_loop (sz : axis -> nat) (s : state) (r : axis) : bool :=
  match pin s r with None => iter s r && (1 <? sz r) | Some _ => false end.
Definition loops (sz : axis -> nat) (s : state) (n : nat) : list axis := filter (is_loop sz s) (nodup Nat.eq_dec (map (rep s) (seq 0 n))).
Fixpoint place (r : axis) (l : list axis) : nat := match l with [] => 0 | x :: l => if Nat.eqb x r then 0 else S (place r l) end.
Definition labels (sz : axis -> nat) (s : state) (n : nat) (p : axis) : label :=
  match pin s (rep s p) with
  | Some i => of_index i
  | None => if iter s (rep s p) && (1 <? sz (rep s p)) then LIter (place (rep s p) (loops sz s n)) else LFix 0
  end.

Lemma place_nth r l : In r l -> nth_error l (place r l) = Some r.
Proof.
  induction l as [|x l IH]; simpl; [tauto|]. destruct (Nat.eqb_spec x r) as [->|N]; auto.
  intros [->|I]; [congruence | auto].
Qed.

(** The part of a labelling that concerns the axes below [n] only. *)
Record labelling_below (n : nat) (E : list equation) (sz : axis -> nat) (lab : axis -> label) (factors : list nat) : Prop := {
  below_class : forall p q, p < n -> q < n -> same E p q -> lab p = lab q;
  below_pin : forall p i, p < n -> pinned E p i -> lab p = of_index i;
  below_iter : forall p, p < n -> iterated E p -> (forall i, ~ pinned E p i) -> 1 < sz p ->
             exists j, lab p = LIter j /\ nth_error factors j = Some (sz p);
  below_sep : forall p q j, p < n -> q < n -> lab p = LIter j -> lab q = LIter j -> same E p q;
  below_only : forall p j, p < n -> lab p = LIter j -> iterated E p /\ 1 < sz p /\ (forall i, ~ pinned E p i);
  below_default : forall p, p < n -> (forall i, ~ pinned E p i) -> ~ (iterated E p /\ 1 < sz p) -> lab p = LFix 0 }.

Theorem labels_allowed sz E s n : solve sz E = Some s ->
  labelling_below n E sz (labels sz s n) (map sz (loops sz s n)).
Proof.
  intros D. assert (M := solve_exact sz E). rewrite D in M. destruct M as [R O P I C].
  assert (Z : forall p, sz (rep s p) = sz p) by (intros p; apply (one_size _ _ C), R, O).
  assert (L : forall p, p < n -> pin s (rep s p) = None -> iter s (rep s p) = true -> 1 < sz p -> In (rep s p) (loops sz s n)).
  { intros p B A T G. apply filter_In. split.
    - apply nodup_In, in_map, in_seq. lia.
    - unfold is_loop. rewrite A, T, Z. now apply Nat.ltb_lt. }
  assert (None' : forall p, (forall i, ~ pinned E p i) <-> pin s (rep s p) = None).
  { intros p. split.
    - intros N. destruct (pin s (rep s p)) as [i|] eqn:A; auto. exfalso. eapply N, P. exact A.
    - intros A i K. apply P in K. congruence. }
  assert (F : forall p, p < n -> pin s (rep s p) = None -> iter s (rep s p) = true -> 1 < sz p ->
    labels sz s n p = LIter (place (rep s p) (loops sz s n))).
  { intros p B A T G. unfold labels. rewrite A, T, Z. apply Nat.ltb_lt in G. now rewrite G. }
  constructor.
  - intros p q _ _ S. apply R in S. unfold labels. now rewrite S.
  - intros p i _ K. apply P in K. unfold labels. now rewrite K.
  - intros p B K N G. apply None' in N. apply I in K. exists (place (rep s p) (loops sz s n)). split; [now apply F|].
    rewrite (map_nth_error sz _ _ (place_nth _ _ (L p B N K G))). now rewrite Z.
  - intros p q j Bp Bq. unfold labels.
    destruct (pin s (rep s p)) as [[c|c]|] eqn:Ap; try discriminate.
    destruct (iter s (rep s p) && (1 <? sz (rep s p))) eqn:Tp; [|discriminate].
    destruct (pin s (rep s q)) as [[c|c]|] eqn:Aq; try discriminate.
    destruct (iter s (rep s q) && (1 <? sz (rep s q))) eqn:Tq; [|discriminate].
    intros [= Jp] [= Jq]. apply andb_true_iff in Tp as [Tp Gp], Tq as [Tq Gq]. rewrite Z, Nat.ltb_lt in *.
    apply R. assert (X := place_nth _ _ (L p Bp Ap Tp Gp)). assert (Y := place_nth _ _ (L q Bq Aq Tq Gq)).
    rewrite Jp in X. rewrite Jq in Y. congruence.
  - intros p j B. unfold labels. destruct (pin s (rep s p)) as [[c|c]|] eqn:A; try discriminate.
    destruct (iter s (rep s p) && (1 <? sz (rep s p))) eqn:T; [|discriminate].
    intros _. apply andb_true_iff in T as [T G]. rewrite Z, Nat.ltb_lt in G. split; [now apply I|]. split; auto. now apply None'.
  - intros p _ N K. apply None' in N. unfold labels. rewrite N.
    destruct (iter s (rep s p) && (1 <? sz (rep s p))) eqn:T; auto. exfalso. apply K.
    apply andb_true_iff in T as [T G]. rewrite Z, Nat.ltb_lt in G. split; [now apply I | exact G].
Qed.

(** [Fix(0)] of a class longer than 1 that nothing pins or iterates is a default; P6, which iterates the axes of terminals, keeps it from
    being used for them. *)
Theorem default_unused sz E s n p : solve sz E = Some s -> p < n -> In (Iter (Proj p)) E -> 1 < sz p ->
  (exists j, labels sz s n p = LIter j) \/ exists i, pinned E p i /\ labels sz s n p = of_index i.
Proof.
  intros D B I G. assert (L := labels_allowed sz E s n D). assert (M := solve_exact sz E). rewrite D in M.
  destruct (pin s (rep s p)) as [i|] eqn:A.
  - right. exists i. apply (means_pin _ _ _ M) in A. split; [exact A | exact (below_pin _ _ _ _ _ L p i B A)].
  - left. destruct (below_iter _ _ _ _ _ L p B) as (j & J & _); eauto.
    + exists p. split; [apply same_refl | exact I].
    + intros i K. apply (means_pin _ _ _ M) in K. congruence.
Qed.

(** Two labellings that are allowed differ in the names of the loop variables only (Rem. 7.9: projection solving needs only a naming):
    the same axes have loop variables, two of them have one variable in the one iff they have in the other, the factors are of one size,
    and all other labels are equal. *)
Theorem labelling_unique n E sz lab lab' fs fs' : solve sz E <> None ->
  labelling_below n E sz lab fs -> labelling_below n E sz lab' fs' ->
  (forall p j, p < n -> lab p = LIter j -> exists j', lab' p = LIter j' /\ nth_error fs j = nth_error fs' j') /\
  (forall p, p < n -> (forall j, lab p <> LIter j) -> lab p = lab' p) /\
  (forall p q j k, p < n -> q < n -> lab p = LIter j -> lab q = LIter k -> (lab p = lab q <-> lab' p = lab' q)).
Proof.
  intros D L L'.
  assert (T : forall p j, p < n -> lab p = LIter j -> exists j', lab' p = LIter j' /\ nth_error fs j = nth_error fs' j').
  { intros p j B H. destruct (below_only _ _ _ _ _ L p j B H) as (A & G & N).
    destruct (below_iter _ _ _ _ _ L' p B A N G) as (j' & H' & F'). exists j'. split; auto.
    destruct (below_iter _ _ _ _ _ L p B A N G) as (k & K & F). congruence. }
  split; [exact T|]. split.
  - intros p B N. destruct (solve sz E) as [s|] eqn:Sv; [|congruence].
    assert (M := solve_exact sz E). rewrite Sv in M. destruct M as [R O P I C].
    destruct (pin s (rep s p)) as [i|] eqn:A.
    + apply P in A. now rewrite (below_pin _ _ _ _ _ L p i B A), (below_pin _ _ _ _ _ L' p i B A).
    + assert (Nop : forall i, ~ pinned E p i) by (intros i K; apply P in K; congruence).
      assert (Dec : ~ (iterated E p /\ 1 < sz p)).
      { intros [K G]. destruct (below_iter _ _ _ _ _ L p B K Nop G) as (j & J & _). eapply N; eauto. }
      now rewrite (below_default _ _ _ _ _ L p B Nop Dec), (below_default _ _ _ _ _ L' p B Nop Dec).
  - intros p q j k Bp Bq Hp Hq. split.
    + intros E1. apply (below_class _ _ _ _ _ L'); auto. eapply (below_sep _ _ _ _ _ L); eauto. congruence.
    + intros E1. destruct (T p j Bp Hp) as (j' & Hp' & _). apply (below_class _ _ _ _ _ L); auto.
      eapply (below_sep _ _ _ _ _ L'); eauto. congruence.
Qed.

(** * Thm. 7.8: bounded addressing *)

(** A point of the product space, and the index that a label has there. *)
Definition point (factors x : list nat) : Prop := Forall2 (fun v n => v < n) x factors.
Definition value (x : list nat) (ext : nat -> nat) (l : label) : nat :=
  match l with LIter j => nth j x 0 | LFix c => c | LExt s => ext s end.

Lemma point_nth factors x j n : point factors x -> nth_error factors j = Some n -> nth j x 0 < n.
Proof. intros F. revert j. induction F; intros [|j]; cbn; try discriminate; [intros [= <-]; auto | auto]. Qed.

(** (1): each index is in its axis. The side condition of Def. 7.2 and the caller's contract for symbols are premises. *)
Theorem in_range n E sz s x ext p : solve sz E = Some s -> p < n -> point (map sz (loops sz s n)) x ->
  (forall q, 1 <= sz q) -> (forall q c, pins E q (Fix c) -> c < sz q) -> (forall q k, pins E q (Ext k) -> ext k < sz q) ->
  value x ext (labels sz s n p) < sz p.
Proof.
  intros D B X Pos F G. assert (L := labels_allowed sz E s n D). assert (M := solve_exact sz E). rewrite D in M.
  destruct (labels sz s n p) as [j|c|k] eqn:Lp; cbn [value].
  - destruct (below_only _ _ _ _ _ L p j B Lp) as (A & H & N).
    destruct (below_iter _ _ _ _ _ L p B A N H) as (j' & J & K). assert (j' = j) as -> by congruence.
    eapply point_nth; eauto.
  - destruct (pin s (rep s p)) as [i|] eqn:A.
    + apply (means_pin _ _ _ M) in A. assert (Q := below_pin _ _ _ _ _ L p i B A). rewrite Lp in Q.
      destruct i as [c'|k]; [injection Q as ->|discriminate Q]. destruct A as (q & S & A).
      rewrite (one_size _ _ (means_consistent _ _ _ M) _ _ S). eauto.
    + unfold labels in Lp. rewrite A in Lp. destruct (iter s (rep s p) && _); [discriminate|]. injection Lp as <-. apply Pos.
  - destruct (pin s (rep s p)) as [i|] eqn:A.
    + apply (means_pin _ _ _ M) in A. assert (Q := below_pin _ _ _ _ _ L p i B A). rewrite Lp in Q.
      destruct i as [c'|k']; [discriminate Q|injection Q as ->]. destruct A as (q & S & A).
      rewrite (one_size _ _ (means_consistent _ _ _ M) _ _ S). eauto.
    + unfold labels in Lp. rewrite A in Lp. destruct (iter s (rep s p) && _); discriminate.
Qed.

(** (2): axes of one class have one size, and the classes are those of the least equivalence. *)
Theorem classes_are_least sz E s : solve sz E = Some s ->
  (forall p q, rep s p = rep s q -> sz p = sz q) /\
  (forall p q, rep s p = rep s q <-> same E p q) /\
  forall R : axis -> axis -> Prop, (forall p, R p p) -> (forall p q, R p q -> R q p) -> (forall p q r, R p q -> R q r -> R p r) ->
    (forall p q, In (Eq (Proj p) (Proj q)) E -> R p q) -> forall p q, rep s p = rep s q -> R p q.
Proof.
  intros D. assert (M := solve_exact sz E). rewrite D in M. split; [|split].
  - intros p q H. apply (one_size _ _ (means_consistent _ _ _ M)). now apply (means_rep _ _ _ M).
  - apply (means_rep _ _ _ M).
  - intros R A B C H p q K. apply (same_least E R A B C H). now apply (means_rep _ _ _ M).
Qed.
