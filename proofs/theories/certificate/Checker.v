(** The functions that are extracted, and what they prove about a set as the reader has read it. *)
From Coq Require Import List.
From Lozenge Require Import Dim Row Term Satisfaction Sizes.
From Lozenge Require Import certificate.Refute certificate.Model certificate.Entail.

(** The claims about a set that an accepted certificate makes. *)
Definition accepts_unsat (o : order) (S : list full) (c : refutation) : bool := check_unsat o (map core S) c.
Definition accepts_sat (o : order) (S : list full) (g : val) : bool := check_model o g S.
Definition accepts_entails (o : order) (S : list full) (goal : constr) (rs : list refutation) : bool :=
  check_entails o (map core S) goal rs.

(** If a refutation is accepted, no valuation satisfies the set. *)
Theorem accepted_unsat o S c : accepts_unsat o S c = true -> forall g, ~ Forall (full_sat o g) S.
Proof. intros A g H. apply (check_unsat_sound o (map core S) c A g). now apply core_weaker. Qed.

(** If a model is accepted, it satisfies the set. *)
Theorem accepted_sat o S g : accepts_sat o S g = true -> Forall (full_sat o g) S.
Proof. apply check_model_exact. Qed.

(** If an entailment is accepted, every valuation that satisfies the set satisfies the constraint. *)
Theorem accepted_entails o S goal rs : accepts_entails o S goal rs = true ->
  forall g, Forall (full_sat o g) S -> sat o g goal.
Proof. intros A g H. apply (check_entails_sound o (map core S) goal rs A g). now apply core_weaker. Qed.
