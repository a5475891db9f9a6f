(** The checker of models: a certificate of a set that has a solution is a solution. *)
From Coq Require Import List Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction Sizes.
Import ListNotations.

Definition check_model (o : order) (g : val) (S : list full) : bool := forallb (full_satb o g) S.

(** It accepts exactly the solutions (Def. 3.4, §8). *)
Theorem check_model_exact o g S : check_model o g S = true <-> Forall (full_sat o g) S.
Proof.
  unfold check_model. rewrite forallb_forall, Forall_forall. split; intros H c K; apply full_satb_spec, H; exact K.
Qed.
