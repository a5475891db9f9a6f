(** §8: constraints between sizes, without the value 0: windows, concatenations, products, rows side by side, bounds of sizes. They are
    the ground arithmetic that the checker of models needs; nothing else is proved about them. *)
From Coq Require Import List String ZArith Lia Bool.
From Lozenge Require Import Lists Dim Row Term Satisfaction.
Import ListNotations.
Open Scope list_scope.
Open Scope Z_scope.

(** The size of a dimension; that of the unit is 1. *)
Definition size (d : dim) : Z := match d with Unit => 1 | Atom n _ => Zpos n end.

(** The ways in which windows fit on an axis. The last two differ only in where the larger margin is. *)
Inductive mode := Exact | Floor | Ceil | Same | Same_lower.

Inductive factor := Axis_factor (t : dterm) | Row_factor (R : rterm).

(** Constraints of sizes. A window has an axis, a stride over the axis of windows, taps with their dilations, the cell of a block that is
    read (on which no size depends), a mode, and cells that are counted in front of the axis and behind it. *)
Inductive sized :=
| Window (axis : dterm) (stride : positive) (over : dterm) (taps : list (positive * dterm)) (phase : N) (m : mode) (low high : N)
| Concat (whole : dterm) (parts : list dterm)
| Product (whole : dterm) (factors : list factor)
| Side_by_side (rows : list rterm) (axes : list dterm)
| At_least (t : dterm) (n : positive).

(** * Satisfaction *)

Section Satisfaction.
Variable g : val.

Definition total (xs : list Z) : Z := fold_right Z.add 0 xs.
Definition product (xs : list Z) : Z := fold_right Z.mul 1 xs.

(** The cells that a window spans over its taps; without taps, the block up to the next window. *)
Definition span (stride : positive) (taps : list (positive * dterm)) : Z :=
  match taps with
  | [] => Zpos stride
  | _ => 1 + total (map (fun p => Zpos (fst p) * (size (dval g (snd p)) - 1)) taps)
  end.

(** The condition that so many windows fit, where [c] is the stride, [S] the span, [N] the size of the axis; [T] is the
    extent of all windows, and [M] the size of the axis with its margins. In the mode [Ceil] the number of windows is
    the greatest one that is allowed. *)
Definition extent (c S n : Z) : Z := S + c * (n - 1).
Definition ceil_allows (c S N low high n : Z) : Prop := c * (n - 1) < N + low /\ extent c S n - c < N + low + high.
Definition fits (m : mode) (c S N n low high : Z) : Prop :=
  match m with
  | Exact => N + low + high = extent c S n
  | Floor => extent c S n <= N + low + high < extent c S n + c
  | Ceil => ceil_allows c S N low high n /\ forall k, n < k -> ~ ceil_allows c S N low high k
  | Same | Same_lower => c * (n - 1) < N <= c * n
  end.

Definition factor_sizes (f : factor) : list Z :=
  match f with
  | Axis_factor t => [size (dval g t)]
  | Row_factor R => map size (flat (rval g R))
  end.

Definition sized_sat (s : sized) : Prop :=
  match s with
  | Window axis stride over taps _ m low high =>
      exists N n b, dval g axis = Atom N b /\ dval g over = Atom n b /\
        fits m (Zpos stride) (span stride taps) (Zpos N) (Zpos n) (Z.of_N low) (Z.of_N high)
  | Concat whole parts =>
      exists N b, dval g whole = Atom N b /\ Forall (fun t => exists n, dval g t = Atom n b) parts /\
        Zpos N = total (map (fun t => size (dval g t)) parts)
  | Product whole factors =>
      is_atom (dval g whole) = true /\ size (dval g whole) = product (flat_map factor_sizes factors)
  | Side_by_side rows axes => flat_map (fun R => flat (rval g R)) rows = map (dval g) axes
  | At_least t n => Zpos n <= size (dval g t)
  end.

(** * Satisfaction as a computation *)

Definition ceil_allowsb (c S N low high n : Z) : bool := (c * (n - 1) <? N + low) && (extent c S n - c <? N + low + high).
Definition fitsb (m : mode) (c S N n low high : Z) : bool :=
  match m with
  | Exact => N + low + high =? extent c S n
  | Floor => (extent c S n <=? N + low + high) && (N + low + high <? extent c S n + c)
  | Ceil => ceil_allowsb c S N low high n && negb (ceil_allowsb c S N low high (n + 1))
  | Same | Same_lower => (c * (n - 1) <? N) && (N <=? c * n)
  end.

Lemma ceil_allowsb_spec c S N low high n : ceil_allowsb c S N low high n = true <-> ceil_allows c S N low high n.
Proof. unfold ceil_allowsb, ceil_allows. rewrite andb_true_iff, !Z.ltb_lt. tauto. Qed.
Lemma fitsb_spec m c S N n low high : 0 < c -> (fitsb m c S N n low high = true <-> fits m c S N n low high).
Proof.
  intros P. destruct m; cbn [fits fitsb]; rewrite ?andb_true_iff, ?negb_true_iff, ?Z.eqb_eq, ?Z.ltb_lt, ?Z.leb_le; try tauto.
  rewrite ceil_allowsb_spec, <- not_true_iff_false, ceil_allowsb_spec. split; intros [A B]; split; auto.
  - intros k K H. apply B. unfold ceil_allows, extent in *. nia.
  - apply B. lia.
Qed.

Definition sized_satb (s : sized) : bool :=
  match s with
  | Window axis stride over taps _ m low high =>
      match dval g axis, dval g over with
      | Atom N b, Atom n b' =>
          String.eqb b b' && fitsb m (Zpos stride) (span stride taps) (Zpos N) (Zpos n) (Z.of_N low) (Z.of_N high)
      | _, _ => false
      end
  | Concat whole parts =>
      match dval g whole with
      | Atom N b =>
          forallb (fun t => match dval g t with Atom _ b' => String.eqb b b' | Unit => false end) parts &&
          (Zpos N =? total (map (fun t => size (dval g t)) parts))
      | Unit => false
      end
  | Product whole factors => is_atom (dval g whole) && (size (dval g whole) =? product (flat_map factor_sizes factors))
  | Side_by_side rows axes => forall2b dim_eqb (flat_map (fun R => flat (rval g R)) rows) (map (dval g) axes)
  | At_least t n => Zpos n <=? size (dval g t)
  end.

Theorem sized_satb_spec s : sized_satb s = true <-> sized_sat s.
Proof.
  destruct s as [axis c over taps phase m low high|whole parts|whole factors|rows axes|t n]; cbn [sized_sat sized_satb].
  - destruct (dval g axis) as [|N b] eqn:A; [split; [discriminate | intros (? & ? & ? & K & _); discriminate K]|].
    destruct (dval g over) as [|n b'] eqn:O; [split; [discriminate | intros (? & ? & ? & _ & K & _); discriminate K]|].
    rewrite andb_true_iff, String.eqb_eq, fitsb_spec by lia. split.
    + intros [-> F]. eauto 7.
    + intros (N' & n' & b'' & [= -> ->] & [= -> ->] & F). auto.
  - destruct (dval g whole) as [|N b]; [split; [discriminate | intros (? & ? & K & _); discriminate K]|].
    rewrite andb_true_iff, Z.eqb_eq, forallb_forall.
    assert (E : (forall x, In x parts -> match dval g x with Atom _ b' => String.eqb b b' | Unit => false end = true) <->
      Forall (fun t => exists n, dval g t = Atom n b) parts).
    { rewrite Forall_forall. split; intros H t I; specialize (H t I).
      - destruct (dval g t) as [|n b']; [discriminate|]. apply String.eqb_eq in H as ->. eauto.
      - destruct H as [n ->]. apply String.eqb_refl. }
    rewrite E. split; [intros []; eauto 6 | intros (N' & b' & [= -> ->] & H); exact H].
  - rewrite andb_true_iff, Z.eqb_eq. reflexivity.
  - rewrite (forall2b_spec _ _ _ _ dim_eqb_spec). apply forall2_eq.
  - apply Z.leb_le.
Qed.
End Satisfaction.

(** * Sets with constraints of sizes *)

Inductive full := Core (c : constr) | Of_sizes (s : sized).

Definition full_sat (o : order) (g : val) (f : full) : Prop :=
  match f with Core c => sat o g c | Of_sizes s => sized_sat g s end.
Definition full_satb (o : order) (g : val) (f : full) : bool :=
  match f with Core c => satb o g c | Of_sizes s => sized_satb g s end.
Theorem full_satb_spec o g f : full_satb o g f = true <-> full_sat o g f.
Proof. destruct f; [apply satb_spec | apply sized_satb_spec]. Qed.

(** A constraint of sizes is read as one that always holds: a set without a solution has none with further constraints either. *)
Definition core (f : full) : constr :=
  match f with Core c => c | Of_sizes _ => REq (RTerm [] None []) (RTerm [] None []) end.
Theorem core_weaker o g S : Forall (full_sat o g) S -> sol o (map core S) g.
Proof. unfold sol. rewrite Forall_map. apply Forall_impl. intros [c|s] H; [exact H | reflexivity]. Qed.
