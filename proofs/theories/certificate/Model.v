(** The checker of models: a certificate of a set that has a solution is a solution. *)
From Coq Require Import List Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
Import ListNotations.

Definition check_model (o : order) (g : val) (S : list constr) : bool := forallb (satb o g) S.

(** It accepts exactly the solutions (Def. 3.4). *)
Theorem check_model_exact o g S : check_model o g S = true <-> sol o S g.
Proof.
  unfold check_model, sol. rewrite forallb_forall, Forall_forall.
  split; intros H c K; apply satb_spec, H; exact K.
Qed.
