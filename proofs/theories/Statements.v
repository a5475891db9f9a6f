(** The theorems of each claim: what they state, and on which axioms they depend. [statements.txt] has what Coq prints of this file, so
    that a weakened statement shows up in a diff. *)
From Coq Require Import List String ZArith.
From Lozenge Require Import Lists.
From Lozenge Require Import Dim.
From Lozenge Require Import Row.
From Lozenge Require Import Rigid.
From Lozenge Require Import Term.
From Lozenge Require Import Satisfaction.
From Lozenge Require Import Sizes.
From Lozenge Require Import Rules.
From Lozenge Require Import Equations.
From Lozenge Require Import RankFacts.
From Lozenge Require Import Calculus.
From Lozenge Require Import Progress.
From Lozenge Require Import Runs.
From Lozenge Require Import Founded.
From Lozenge Require Import Closing.
From Lozenge Require Import Divergence.
From Lozenge Require Import Reachability.
From Lozenge Require Import Projections.
From Lozenge Require Import IndexMaps.
From Lozenge Require Import Elaboration.
From Lozenge Require Import certificate.Form.
From Lozenge Require Import certificate.Statement.
From Lozenge Require Import certificate.Walk.
From Lozenge Require Import certificate.Refute.
From Lozenge Require Import certificate.Model.
From Lozenge Require Import Lengths.
From Lozenge Require Import certificate.Exchange.
From Lozenge Require Import certificate.Cases.
From Lozenge Require Import certificate.Entail.
From Lozenge Require Import certificate.Checker.
Import ListNotations.
Set Printing Width 120.

(** * §1 *)

(** Prop. 1.3 *)
Check @Dim.below_order.
Check @Dim.below_bounded.
Check @Dim.atoms_between.
Check @Dim.height_two.
Check @Dim.meet_glb.
Check @Dim.joined_lub.

(** Prop. 1.4 repaired *)
Check @Dim.modular.
Check @Dim.not_distributive.

(** All of them depend on no axiom. *)
Definition section_1 := (
  @Dim.below_order,
  @Dim.below_bounded,
  @Dim.atoms_between,
  @Dim.height_two,
  @Dim.meet_glb,
  @Dim.joined_lub,
  @Dim.modular,
  @Dim.not_distributive).
Print Assumptions section_1.

(** * §2 *)

(** Lemma 2.4 *)
Check @Row.expansion_monotone.

(** Prop. 2.5 *)
Check @Row.row_le_refl.
Check @Row.row_le_trans.
Check @Row.row_le_antisym.

(** Prop. 2.6 *)
Check @Row.row_le_top.
Check @Row.top_unique.

(** Prop. 2.7 *)
Check @Row.row_join_lub.

(** Rem. 2.8 *)
Check @Row.ranks_below.
Check @Row.ranks_above.

(** Def. 2.9 *)
Check @Row.row_eq_expansion.

(** Prop. 2.10(i) *)
Check @Row.row_le_mutual.

(** Prop. 2.10(ii) *)
Check @Row.row_eq_incomparable.

(** Prop. 2.10(iii) *)
Check @Row.no_congruence.
Check @Row.row_eq_no_congruence.

(** Prop. 2.10(iv) repaired *)
Check @Row.row_eq_flanks_differ.
Check @Row.row_eq_middle.
Check @Row.row_eq_higher.

(** Prop. 2.13 *)
Check @Rigid.sorted_le_refl.
Check @Rigid.sorted_le_trans.
Check @Rigid.sorted_le_antisym.
Check @Rigid.sorted_top.
Check @Rigid.sorted_top_unique.
Check @Rigid.rigid_flat.
Check @Rigid.clause_d_forced.

(** Rem. 2.14(costs) repaired *)
Check @Rigid.rigid_no_least_upper.
Check @Rigid.mixed_no_least_upper.
Check @Rigid.marked_least_upper.
Check @Rigid.rigid_least_upper.

(** Rem. 2.15(ii) repaired *)
Check @Rigid.one_shot_rigidified.
Check @Row.row_le1_refl.
Check @Row.row_le_one_shot.
Check @Row.row_le1_mutual.
Check @Row.row_le1_not_transitive.

(** Rem. 2.15(iv) *)
Check @Row.row_eq_one_shot.
Check @Row.one_shot_proper.

(** All of them depend on no axiom. *)
Definition section_2 := (
  @Row.expansion_monotone,
  @Row.row_le_refl,
  @Row.row_le_trans,
  @Row.row_le_antisym,
  @Row.row_le_top,
  @Row.top_unique,
  @Row.row_join_lub,
  @Row.ranks_below,
  @Row.ranks_above,
  @Row.row_eq_expansion,
  @Row.row_le_mutual,
  @Row.row_eq_incomparable,
  @Row.no_congruence,
  @Row.row_eq_no_congruence,
  @Row.row_eq_flanks_differ,
  @Row.row_eq_middle,
  @Row.row_eq_higher,
  @Rigid.sorted_le_refl,
  @Rigid.sorted_le_trans,
  @Rigid.sorted_le_antisym,
  @Rigid.sorted_top,
  @Rigid.sorted_top_unique,
  @Rigid.rigid_flat,
  @Rigid.clause_d_forced,
  @Rigid.rigid_no_least_upper,
  @Rigid.mixed_no_least_upper,
  @Rigid.marked_least_upper,
  @Rigid.rigid_least_upper,
  @Rigid.one_shot_rigidified,
  @Row.row_le1_refl,
  @Row.row_le_one_shot,
  @Row.row_le1_mutual,
  @Row.row_le1_not_transitive,
  @Row.row_eq_one_shot,
  @Row.one_shot_proper).
Print Assumptions section_2.

(** * §3 *)

(** Def. 3.1 *)
Check @Term.one_variable.

(** Def. 3.2 *)
Check @Term.sub_bare.
Check @Term.sub_marker.
Check @Term.idempotent_twice.

(** Lemma 3.3 *)
Check @Term.compose_d.
Check @Term.compose_r.

(** Def. 3.4 *)
Check @Satisfaction.equality_formulations.
Check @Satisfaction.sat_after.
Check @Satisfaction.models_valid.

(** Ex. 3.5 *)
Check @Satisfaction.example_3_5_models.
Check @Satisfaction.example_3_5.

(** All of them depend on no axiom. *)
Definition section_3 := (
  @Term.one_variable,
  @Term.sub_bare,
  @Term.sub_marker,
  @Term.idempotent_twice,
  @Term.compose_d,
  @Term.compose_r,
  @Satisfaction.equality_formulations,
  @Satisfaction.sat_after,
  @Satisfaction.models_valid,
  @Satisfaction.example_3_5_models,
  @Satisfaction.example_3_5).
Print Assumptions section_3.

(** * §4 *)

(** Def. 4.1 *)
Check @Calculus.run_invariants.
Check @Calculus.bounds_are_emitted.

(** Def. 4.2 *)
Check @Rules.de_refl.
Check @Rules.de_clash.
Check @Rules.de_bind.
Check @Rules.di_top.
Check @Rules.di_refl.
Check @Rules.di_ground.
Check @Rules.di_pin.
Check @Rules.di_pin_top.
Check @Rules.di_cap.
Check @Rules.di_adj.
Check @Rules.di_antisym.

(** Def. 4.3(a) *)
Check @Equations.re_closed.

(** Def. 4.3(b) *)
Check @Equations.re_overflow.
Check @Equations.re_content.

(** Def. 4.3(c-nested) *)
Check @Equations.re_nested.

(** Def. 4.3(c-split) *)
Check @Equations.re_split.

(** Def. 4.3(c) repaired *)
Check @Equations.word_family.
Check @Equations.word_sporadic.
Check @Equations.word_sporadic_unique.
Check @Equations.close_is_commitment.

(** Def. 4.3(d) *)
Check @Equations.re_same.
Check @Equations.re_occurs.
Check @Equations.re_aligned.
Check @Equations.word_rotation.
Check @Equations.word_conjugate.
Check @Equations.word_closed.

(** Def. 4.3(i) repaired *)
Check @Rules.ri_cap.

(** Def. 4.3(ii) repaired *)
Check @Rules.ri_closed_operand.

(** Def. 4.3(iii) *)
Check @Rules.ri_short_total.

(** Def. 4.3(iii) by flanks *)
Check @Rules.ri_short.

(** Def. 4.3(iv) repaired *)
Check @Rules.ri_deficit_extends.
Check @Rules.ri_deficit_adds_none.

(** Def. 4.4 *)
Check @Progress.progress.

(** Ex. 4.5a *)
Check @Divergence.cycle_of_two.
Check @Divergence.cycle_of_one.

(** Def. 4.5(by flanks) *)
Check @Divergence.facts_entailed.
Check @Divergence.guard_sound.

(** Def. 4.5(1) *)
Check @Rules.fact_binding.

(** Def. 4.5(2) *)
Check @Rules.fact_equal_flanks.

(** Def. 4.5(3) *)
Check @Rules.fact_deficit.
Check @Rules.fact_surplus.
Check @Rules.fact_surplus_zero_unsound.

(** Prop. 4.6 *)
Check @RankFacts.facts_satisfiable.

(** All of them depend on no axiom. *)
Definition section_4 := (
  @Calculus.run_invariants,
  @Calculus.bounds_are_emitted,
  @Progress.progress,
  @Divergence.cycle_of_two,
  @Divergence.cycle_of_one,
  @Divergence.facts_entailed,
  @Divergence.guard_sound,
  @Rules.de_refl,
  @Rules.de_clash,
  @Rules.de_bind,
  @Rules.di_top,
  @Rules.di_refl,
  @Rules.di_ground,
  @Rules.di_pin,
  @Rules.di_pin_top,
  @Rules.di_cap,
  @Rules.di_adj,
  @Rules.di_antisym,
  @Equations.re_closed,
  @Equations.re_overflow,
  @Equations.re_content,
  @Equations.re_nested,
  @Equations.re_split,
  @Equations.word_family,
  @Equations.word_sporadic,
  @Equations.word_sporadic_unique,
  @Equations.close_is_commitment,
  @Equations.re_same,
  @Equations.re_occurs,
  @Equations.re_aligned,
  @Equations.word_rotation,
  @Equations.word_conjugate,
  @Equations.word_closed,
  @Rules.ri_cap,
  @Rules.ri_closed_operand,
  @Rules.ri_short_total,
  @Rules.ri_short,
  @Rules.ri_deficit_extends,
  @Rules.ri_deficit_adds_none,
  @Rules.fact_binding,
  @Rules.fact_equal_flanks,
  @Rules.fact_deficit,
  @Rules.fact_surplus,
  @Rules.fact_surplus_zero_unsound,
  @RankFacts.facts_satisfiable).
Print Assumptions section_4.

(** * §5 *)

(** Lemma 5.1 repaired *)
Check @Runs.steps_keep_or_refine.
Check @Runs.placement_content.
Check @Runs.resolution_not_entailed.

(** Lemma 5.1(semantic) repaired *)
Check @Runs.semantic_run_exact.
Check @Runs.failure_has_no_solution.

(** Prop. 5.4(i) *)
Check @Runs.upward_satisfies.

(** Prop. 5.4(ii) repaired *)
Check @Runs.upward_fixes.
Check @Runs.upward_greatest.

(** Cor. 5.5 repaired *)
Check @Runs.semantic_failure_sound.
Check @Runs.placing_run_does_not_fail.

(** Cor. 5.5(success) repaired *)
Check @Runs.success_sound.

(** Cor. 5.5(failure) *)
Check @Founded.founded_failure_sound.

(** Thm. 5.6(1) repaired *)
Check @Runs.represents.
Check @Runs.represents_content.

(** Thm. 5.6(2) repaired *)
Check @Runs.bindings_conservative.
Check @Runs.bindings_conservative_content.

(** Thm. 5.6(3) repaired *)
Check @Runs.solutions_are_instances.
Check @Runs.solutions_are_instances_content.

(** Cor. 5.8 repaired *)
Check @Runs.principal_model.

(** All of them depend on no axiom. *)
Definition section_5 := (
  @Runs.steps_keep_or_refine,
  @Runs.placement_content,
  @Runs.resolution_not_entailed,
  @Runs.semantic_run_exact,
  @Runs.failure_has_no_solution,
  @Runs.upward_satisfies,
  @Runs.upward_fixes,
  @Runs.upward_greatest,
  @Runs.semantic_failure_sound,
  @Runs.placing_run_does_not_fail,
  @Runs.success_sound,
  @Founded.founded_failure_sound,
  @Runs.represents,
  @Runs.represents_content,
  @Runs.bindings_conservative,
  @Runs.bindings_conservative_content,
  @Runs.solutions_are_instances,
  @Runs.solutions_are_instances_content,
  @Runs.principal_model).
Print Assumptions section_5.

(** * §6 *)

(** Prop. 6.2(solution) *)
Check @Closing.dims_can_be_closed.
Check @Closing.rows_can_be_closed.
Check @Closing.closing_sound.

(** Prop. 6.4(i) repaired *)
Check @Closing.upward_is_solution.
Check @Closing.upward_extends.
Check @Closing.upward_above_extending.
Check @Closing.upward_above_all.

(** Prop. 6.4(ii) *)
Check @Closing.no_greatest_placement.

(** Prop. 6.4(iii) repaired *)
Check @Closing.upward_above_placements.

(** Prop. 6.5 repaired *)
Check @Closing.committed_least.
Check @Closing.fillings_below.

(** All of them depend on no axiom. *)
Definition section_6 := (
  @Closing.dims_can_be_closed,
  @Closing.rows_can_be_closed,
  @Closing.closing_sound,
  @Closing.upward_is_solution,
  @Closing.upward_extends,
  @Closing.upward_above_extending,
  @Closing.upward_above_all,
  @Closing.no_greatest_placement,
  @Closing.upward_above_placements,
  @Closing.committed_least,
  @Closing.fillings_below).
Print Assumptions section_6.

(** * §7 *)

(** Def. 7.2 *)
Check @Elaboration.p1_kept.
Check @Elaboration.p2_p3_kept.
Check @Elaboration.p4_kept.
Check @Elaboration.p5_kept.
Check @Elaboration.p6_kept.
Check @Elaboration.slice_kept.

(** Def. 7.3 *)
Check @Projections.solve_exact.
Check @Projections.labels_allowed.

(** Thm. 7.4 repaired *)
Check @Projections.solve_fails.
Check @Projections.solve_order.
Check @Projections.labelling_unique.
Check @Projections.default_unused.

(** Prop. 7.6(i) *)
Check @IndexMaps.injective_iff.

(** Prop. 7.6(i)(two terms) *)
Check @IndexMaps.two_terms_injective.

(** Prop. 7.6(ii) *)
Check @IndexMaps.surjective_iff.

(** Prop. 7.6(ii)(interval) *)
Check @IndexMaps.interval_iff.

(** Prop. 7.6(iii) repaired *)
Check @IndexMaps.reading_required.
Check @IndexMaps.initialising_required.

(** Thm. 7.8(1) *)
Check @Projections.in_range.

(** Thm. 7.8(2) *)
Check @Projections.classes_are_least.

(** All of them depend on no axiom. *)
Definition section_7 := (
  @Elaboration.p1_kept,
  @Elaboration.p2_p3_kept,
  @Elaboration.p4_kept,
  @Elaboration.p5_kept,
  @Elaboration.p6_kept,
  @Elaboration.slice_kept,
  @Projections.solve_exact,
  @Projections.labels_allowed,
  @Projections.solve_fails,
  @Projections.solve_order,
  @Projections.labelling_unique,
  @Projections.default_unused,
  @IndexMaps.injective_iff,
  @IndexMaps.two_terms_injective,
  @IndexMaps.surjective_iff,
  @IndexMaps.interval_iff,
  @IndexMaps.reading_required,
  @IndexMaps.initialising_required,
  @Projections.in_range,
  @Projections.classes_are_least).
Print Assumptions section_7.

(** * §8 *)

(** Prop. 8.1 *)
Check @IndexMaps.margin_order.

(** All of them depend on no axiom. *)
Definition section_8 := (
  @IndexMaps.margin_order).
Print Assumptions section_8.

(** * Complete mode *)

(** Decision.1 *)
Check @Statement.lengths_required.
Check @Statement.lengths_enough.

(** Decision.2 *)
Check @Reachability.solution_at_lengths.
Check @Reachability.greatest_at_lengths.
Check @Reachability.lengths_that_do_not_fit.

(** Decision.3 *)
Check @Lengths.rank_below.
Check @Lengths.rank_equal.
Check @Lengths.cycle_bound.

(** Decision.4 *)
Check @Walk.step_shift.
Check @Walk.round_shift.

(** Decision.5 *)
Check @Walk.linear_rounds.
Check @Walk.loop_sound.

(** Decision.6(leading) *)
Check @Walk.cross_leading.

(** Decision.6(trailing) *)
Check @Walk.cross_trailing.

(** Decision.6(equal) *)
Check @Walk.cross_equal.

(** Decision.6(dimensions) *)
Check @Statement.one_row.
Check @Statement.of_constr_holds.

(** Decision.6(land) *)
Check @Walk.place_of_content.
Check @Walk.place_of_leading.
Check @Walk.place_of_trailing.

(** Decision.6(clash) *)
Check @Walk.clash_axes.
Check @Walk.clash_sound.

(** Decision.7(quotient) *)
Check @Form.quotient_unique.

(** Decision.7(round) *)
Check @Form.round_down.

(** Decision.7(split) *)
Check @Form.split_cases.

(** Decision.7(sum) *)
Check @Form.sum_nonneg.

(** Decision.8(left) *)
Check @Lengths.pin_left_zero.
Check @Lengths.pin_left_only.

(** Decision.8(right) *)
Check @Lengths.pin_right_zero.
Check @Lengths.pin_right_only.

(** Decision.8(place) *)
Check @Lengths.pin_place.

(** Decision.9(doubling) *)
Check @Lengths.doubling.

(** Decision.10(at most) *)
Check @Lengths.exact_sum_rank.

(** Decision.11 *)
Check @Lengths.colouring_iff.

(** Decision.14 *)
Check @Cases.entailed_iff.

(** Decision.16(sat) *)
Check @Checker.accepted_sat.

(** Decision.16(unsat) *)
Check @Checker.accepted_unsat.

(** Decision.16(entails) *)
Check @Checker.accepted_entails.

(** All of them depend on no axiom. *)
Definition section_9 := (
  @Statement.lengths_required,
  @Statement.lengths_enough,
  @Reachability.solution_at_lengths,
  @Reachability.greatest_at_lengths,
  @Reachability.lengths_that_do_not_fit,
  @Lengths.rank_below,
  @Lengths.rank_equal,
  @Lengths.cycle_bound,
  @Walk.step_shift,
  @Walk.round_shift,
  @Walk.linear_rounds,
  @Walk.loop_sound,
  @Walk.cross_leading,
  @Walk.cross_trailing,
  @Walk.cross_equal,
  @Statement.one_row,
  @Statement.of_constr_holds,
  @Walk.place_of_content,
  @Walk.place_of_leading,
  @Walk.place_of_trailing,
  @Walk.clash_axes,
  @Walk.clash_sound,
  @Form.quotient_unique,
  @Form.round_down,
  @Form.split_cases,
  @Form.sum_nonneg,
  @Lengths.pin_left_zero,
  @Lengths.pin_left_only,
  @Lengths.pin_right_zero,
  @Lengths.pin_right_only,
  @Lengths.pin_place,
  @Lengths.doubling,
  @Lengths.exact_sum_rank,
  @Lengths.colouring_iff,
  @Cases.entailed_iff,
  @Checker.accepted_sat,
  @Checker.accepted_unsat,
  @Checker.accepted_entails).
Print Assumptions section_9.
