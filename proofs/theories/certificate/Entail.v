(** The checker of entailments, and its soundness: if it accepts, the constraint holds in every solution. *)
From Coq Require Import List String ZArith Lia Bool PArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
From Lozenge Require Import certificate.Form certificate.Statement certificate.Walk certificate.Refute certificate.Exchange certificate.Cases.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** The first sizes from a number on that no known atom is_at. *)
Definition size_of (d : dim) : positive := match d with Unit => 1 | Atom n _ => n end%positive.
Fixpoint free_size (fuel : nat) (n : positive) (ks : list dim) : option positive :=
  match fuel with
  | O => None
  | Datatypes.S fuel => if existsb (fun d => Pos.eqb (size_of d) n) ks then free_size fuel (Pos.succ n) ks else Some n
  end.
Lemma free_size_fresh fuel : forall n ks m b, free_size fuel n ks = Some m -> (n <= m)%positive /\ ~ In (Atom m b) ks.
Proof.
  induction fuel as [|fuel IH]; cbn; intros n ks m b; [discriminate|].
  destruct (existsb _ ks) eqn:E.
  - intros H. destruct (IH _ _ _ b H) as [L N]. split; auto. lia.
  - intros [= <-]. split; [lia|]. intros H. apply not_true_iff_false in E. apply E, existsb_exists.
    eexists; split; [exact H|]. cbn. apply Pos.eqb_refl.
Qed.

(** The check that each case has a refutation, in their order. *)
Fixpoint all_refuted (o : order) (S : list statement) (cs : list case) (rs : list refutation) : bool :=
  match cs, rs with
  | [], [] => true
  | c :: cs, r :: rs => refutes o (S ++ snd c) (fst c) r && all_refuted o S cs rs
  | _, _ => false
  end.

(** The checker makes the cases itself; the certificate has only their refutations. *)
Definition check_entails (o : order) (S : list constr) (goal : constr) (rs : list refutation) : bool :=
  let ks := known (S ++ [goal]) in
  let fuel := Datatypes.S (List.length ks) in
  match free_size fuel 2 ks with
  | None => false
  | Some n =>
      match free_size fuel (Pos.succ n) ks with
      | None => false
      | Some m => all_refuted o (map of_constr S) (cases o goal ks (Atom n "default") (Atom m "default")) rs
      end
  end.

Lemma all_refuted_in o S cs rs c : all_refuted o S cs rs = true -> In c cs -> exists r, refutes o (S ++ snd c) (fst c) r = true.
Proof.
  revert rs; induction cs as [|d cs IH]; intros [|r rs]; cbn; try discriminate; try (intros _ []; fail).
  intros [A B]%andb_true_iff [->|H]; eauto.
Qed.
Lemma refutes_sound_for o S assumed c : refutes o S assumed c = true -> forall g p, 0 <= p ->
  (forall e, env_of g e -> e LP = p -> Forall (holds o g e) S /\ Forall (nonneg e) assumed) -> False.
Proof.
  intros T g p P H. destruct (H (with_quotients (base g p) 0 (quotients c))) as [HS HA].
  - split; [intros x; split|]; rewrite with_quotients_other by congruence; cbn; auto.
  - rewrite with_quotients_other by congruence. reflexivity.
  - exact (refutes_sound o S assumed c T g p P HS HA).
Qed.

(** The theorem of the checker. *)
Theorem check_entails_sound o S goal rs : check_entails o S goal rs = true -> forall g, sol o S g -> sat o g goal.
Proof.
  unfold check_entails. intros H g G. destruct (free_size _ 2 _) as [n|] eqn:N; [|discriminate].
  destruct (free_size _ (Pos.succ n) _) as [m|] eqn:M; [|discriminate].
  apply (free_size_fresh _ _ _ _ "default") in N as [_ N]. apply (free_size_fresh _ _ _ _ "default") in M as [L M].
  apply (entailed o S goal g G (Atom n "default") (Atom m "default")); auto; [intros [= K]; lia|].
  intros c I. destruct (all_refuted_in _ _ _ _ _ H I) as [r T]. intros h p P Q.
  exact (refutes_sound_for _ _ _ _ T h p P Q).
Qed.
