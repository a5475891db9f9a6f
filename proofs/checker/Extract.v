(** The extraction of the checker. Booleans, options, pairs, lists and strings become those of OCaml, with the files of Coq's standard
    library and nothing else. Numbers stay Coq's: machine integers would overflow where the theorems say that they do not. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString.
From Lozenge Require Import Dim Row Term Satisfaction Sizes.
From Lozenge Require Import certificate.Form certificate.Walk certificate.Refute certificate.Checker.
Extraction Language OCaml.
Extraction "proved.ml" accepts_unsat accepts_sat accepts_entails full_satb row_leb row_join sub_r compose.
