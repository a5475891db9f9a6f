(** Exchanges of atoms: satisfaction is kept by every exchange that fixes the unit and the atoms that are written. *)
From Coq Require Import List String ZArith Lia Bool PArith.
From Lozenge Require Import Lists Dim Row Term Satisfaction certificate.Form certificate.Statement.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

Section Rename.
Variables (pi : dim -> dim) (Pu : pi Unit = Unit).
Definition rmap (R : row) : row := Row (map pi (lead R)) (map pi (trail R)).
Definition vmap (g : val) : val := Val (fun a => pi (vdim g a)) (fun x => rmap (vrow g x)).
Definition fixes (t : dterm) : Prop := match t with DConst d => pi d = d | DVar _ => True end.
Definition fixes_r (R : rterm) : Prop := Forall fixes (rlead R) /\ Forall fixes (rtrail R).
Lemma dval_map g t : fixes t -> dval (vmap g) t = pi (dval g t).
Proof. destruct t; cbn; auto. Qed.
Lemma map_dval_map g l : Forall fixes l -> map (dval (vmap g)) l = map pi (map (dval g) l).
Proof. induction 1; cbn [map]; f_equal; auto using dval_map. Qed.
Lemma rval_map g R : fixes_r R -> rval (vmap g) R = rmap (rval g R).
Proof.
  intros [L T]. unfold rval, rmap; cbn [lead trail]. rewrite !map_app, !map_dval_map by auto.
  destruct (rvar R); reflexivity.
Qed.
Lemma flat_rmap R : flat (rmap R) = map pi (flat R).
Proof. unfold flat, rmap; cbn. now rewrite map_app. Qed.
Lemma rank_rmap R : rank (rmap R) = rank R.
Proof. unfold rank, rmap; cbn. now rewrite !map_length. Qed.
Lemma expansion_rmap R n : expansion (rmap R) n = map pi (expansion R n).
Proof.
  unfold expansion. rewrite rank_rmap. unfold rmap; cbn. rewrite !map_app. do 2 f_equal.
  induction (n - rank R)%nat; cbn; congruence.
Qed.
Lemma dim_le_map a b : dim_le a b -> dim_le (pi a) (pi b).
Proof. intros [->| ->]; [left|right]; auto. Qed.
Lemma all_le_map xs ys : Forall2 dim_le xs ys -> Forall2 dim_le (map pi xs) (map pi ys).
Proof. induction 1; cbn; constructor; auto using dim_le_map. Qed.
Definition fixes_c (c : constr) : Prop :=
  match c with DEq a b | DLe a b => fixes a /\ fixes b | REq a b | RLe a b => fixes_r a /\ fixes_r b end.
Lemma sat_map o g c : fixes_c c -> sat o g c -> sat o (vmap g) c.
Proof.
  destruct c; cbn [fixes_c sat]; intros [A B]; rewrite ?dval_map, ?rval_map by auto.
  - congruence.
  - apply dim_le_map.
  - unfold row_eq. rewrite !flat_rmap. congruence.
  - destruct o; cbn [row_below]; unfold row_le, row_le1; rewrite !rank_rmap, expansion_rmap, flat_rmap; cbn [rmap lead trail];
      rewrite ?map_length; intuition auto using all_le_map.
Qed.
End Rename.

Definition swap (x y d : dim) : dim := if dim_eqb d x then y else if dim_eqb d y then x else d.
Ltac eqbs := unfold swap; repeat match goal with
  | |- context[dim_eqb ?a ?b] => let H := fresh in destruct (dim_eqb a b) eqn:H;
      [apply dim_eqb_spec in H | assert (a <> b) by (rewrite <- dim_eqb_spec; congruence); clear H]
  end; try congruence.
Lemma swap_inj x y a b : swap x y a = swap x y b -> a = b.
Proof. eqbs. Qed.
Lemma swap_l x y : swap x y x = y. Proof. eqbs. Qed.
Lemma swap_other x y d : d <> x -> d <> y -> swap x y d = d. Proof. eqbs. Qed.

(** * The atoms that are written *)

(** The atoms of constraints, in the order of the vocabulary: by size, then by basis, the default first. *)
Definition const_d (t : dterm) : list dim := match t with DConst d => if is_atom d then [d] else [] | DVar _ => [] end.
Definition atoms (c : constr) : list dim :=
  let s := of_constr c in
  flat_map const_d (rlead (left s) ++ rtrail (left s) ++ rlead (right s) ++ rtrail (right s)).
Definition basis_ltb (a b : string) : bool :=
  if String.eqb a b then false else if String.eqb a "default" then true else if String.eqb b "default" then false else
  match String.compare a b with Lt => true | _ => false end.
Definition dim_ltb (a b : dim) : bool :=
  match a, b with
  | Unit, Unit => false | Unit, _ => true | _, Unit => false
  | Atom n s, Atom m t => Pos.ltb n m || (Pos.eqb n m && basis_ltb s t)
  end.
Fixpoint insert (d : dim) (l : list dim) : list dim :=
  match l with [] => [d] | x :: r => if dim_eqb d x then l else if dim_ltb d x then d :: l else x :: insert d r end.
Definition known (S : list constr) : list dim := fold_right insert [] (flat_map atoms S).
Lemma insert_in d l x : In x (d :: l) -> In x (insert d l).
Proof.
  induction l as [|y l IH]; cbn; auto. destruct (dim_eqb d y) eqn:E.
  - apply dim_eqb_spec in E as ->. cbn. tauto.
  - destruct (dim_ltb d y); cbn in *; tauto.
Qed.
Lemma known_in S x : In x (flat_map atoms S) -> In x (known S).
Proof.
  unfold known. induction (flat_map atoms S); cbn [fold_right]; [tauto|]. intros [->|H]; apply insert_in; [left|right]; auto.
Qed.

Lemma fixes_atoms pi c : pi Unit = Unit -> (forall d, In d (atoms c) -> pi d = d) -> fixes_c pi c.
Proof.
  intros U H.
  assert (A : forall l, (forall d, In d (flat_map const_d l) -> pi d = d) -> Forall (fixes pi) l).
  { intros l K. apply Forall_forall. intros [v|d] I; cbn; auto. destruct d as [|n b]; auto. apply K, in_flat_map.
    eexists; split; [exact I|]. now left. }
  unfold atoms in H. destruct c as [a b|a b|a b|a b]; cbn [of_constr left right] in H.
  1, 2: apply A in H; cbn in H; inversion H as [|? ? X Y]; subst; inversion Y; subst; now split.
  all: apply A in H; rewrite !Forall_app in H; unfold fixes_c, fixes_r; tauto.
Qed.
