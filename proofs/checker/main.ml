(* The command, and the mode that answers one request a line. *)
open Proved

let usage =
  "Checks certificates with the functions that are proved sound (proofs/README.md).\n\n\
   lozenge-proved-checker [--one-shot] CERTIFICATE SET   checks a certificate for a set of constraints\n\
   lozenge-proved-checker --print SET                    prints the set as it was read\n\
   lozenge-proved-checker --requests                     answers one request, a JSON object, a line\n\n\
   The exit status is 0 for `sat` and for a constraint that holds in every solution, 1 for `unsat`, 2 for bad input, and 3 if the\n\
   certificate is not accepted, which says nothing of the set.\n"

type verdict = Proved_sat | Proved_unsat | Proved_entails of string | Refused of string

let order_word = function Marked -> "marked" | OneShot -> "one-shot"

(* The order between rows is the certificate's own, unless one is asked for. *)
let verify ?asked certificate (set : Notation.set) =
  if set.summands <> [] then Refused "the set has variables that may be 0 (`summand`), which no certificate covers"
  else
    match Certificate.read certificate with
    | exception Json.Bad why -> Refused why
    | exception Stack_overflow -> Refused "it is nested too deep"
    | read -> (
        let order = match read with Sat { order; _ } | Unsat { order; _ } | Entails { order; _ } -> order in
        let is_asked = match asked with None -> true | Some asked -> asked = order in
        if not is_asked then Refused ("it is for the order `" ^ order_word order ^ "`")
        else
          let unless why accepted verdict = if accepted then verdict else Refused why in
          try
            match read with
            | Sat { order; model } ->
                unless "a constraint does not hold" (accepts_sat order set.constraints (Assignment.valuation model)) Proved_sat
            | Unsat { order; refutation } ->
                unless "it does not refute the set" (accepts_unsat order set.constraints refutation) Proved_unsat
            | Entails { order; goal; cases } ->
                let own = Notation.read_core goal in
                unless "it does not refute each case" (accepts_entails order set.constraints own cases)
                  (Proved_entails (Notation.print_core own))
          with
          | Json.Bad why -> Refused why
          | Stack_overflow -> Refused "it is too large for the stack")

(* One request a line. *)

let field own key = match List.assoc_opt key own with Some v -> v | None -> Json.bad "no field `%s`" key
let text = Certificate.text "a field"
let answer_of = function
  | Proved_sat -> [ ("verdict", Json.Str "sat") ]
  | Proved_unsat -> [ ("verdict", Json.Str "unsat") ]
  | Proved_entails goal -> [ ("entails", Json.Str goal) ]
  | Refused why -> [ ("refused", Json.Str why) ]

let requests : (string * ((string * Json.t) list -> (string * Json.t) list)) list =
  let values = Certificate.values "the values" in
  let term own = Notation.read_row_term (text (field own "term")) in
  let two_rows own =
    match field own "rows" with
    | Json.Arr [ Json.Str a; Json.Str b ] -> (Notation.read_row a, Notation.read_row b)
    | _ -> Json.bad "no two rows"
  in
  let holds b = [ ("holds", Json.Bool b) ] in
  [ ("verify", fun own -> answer_of (verify (text (field own "certificate")) (Notation.read (text (field own "set")))));
    ("print", fun own -> [ ("set", Json.Str (Notation.print_set (Notation.read (text (field own "set"))))) ]);
    ("satisfies", fun own ->
        let order = Certificate.order (field own "order") in
        let constraint_ = Notation.read_constraint_at 1 (text (field own "constraint")) in
        holds (full_satb order (Assignment.valuation (values (field own "model"))) constraint_));
    ("below", fun own ->
        let low, high = two_rows own in
        holds (row_leb (Certificate.order (field own "order")) low high));
    ("join", fun own ->
        let a, b = two_rows own in
        [ ("row", Json.Str (Notation.print_ground_row (row_join a b))) ]);
    ("apply", fun own ->
        let s = Assignment.substitution (values (field own "substitution")) in
        [ ("row", Json.Str (Notation.print_row (sub_r s (term own)))) ]);
    ("compose", fun own ->
        let part key = Assignment.substitution (values (field own key)) in
        let both = compose (part "second") (part "first") in
        [ ("row", Json.Str (Notation.print_row (sub_r both (term own)))) ]) ]

let answer line =
  let body =
    match Json.read line with
    | Json.Obj [ (kind, Json.Obj own) ] -> (
        match List.assoc_opt kind requests with
        | Some answer -> (
            try answer own with
            | Json.Bad why -> [ ("error", Json.Str why) ]
            | Stack_overflow -> [ ("error", Json.Str "it is too large for the stack") ])
        | None -> [ ("error", Json.Str ("there is no request `" ^ kind ^ "`")) ])
    | _ -> [ ("error", Json.Str "a request is an object with one field") ]
    | exception Json.Bad why -> [ ("error", Json.Str why) ]
  in
  Json.to_string (Json.Obj body)

let read_file path =
  try
    let channel = open_in_bin path in
    let contents = really_input_string channel (in_channel_length channel) in
    close_in channel;
    contents
  with Sys_error why -> Json.bad "cannot be read: %s" why

let check_files asked certificate set =
  match verify ?asked (read_file certificate) (Notation.read (read_file set)) with
  | Proved_sat -> print_endline "sat: the certificate is accepted"; 0
  | Proved_unsat -> print_endline "unsat: the certificate is accepted"; 1
  | Proved_entails goal -> Printf.printf "`%s` holds in every solution: the certificate is accepted\n" goal; 0
  | Refused why -> Printf.printf "unknown: the certificate is not accepted: %s\n" why; 3

let rec answer_lines () =
  match input_line stdin with
  | line -> print_endline (answer line); answer_lines ()
  | exception End_of_file -> 0

let () =
  let status =
    try
      match List.tl (Array.to_list Sys.argv) with
      | [ "--requests" ] -> answer_lines ()
      | [ "--print"; set ] -> print_string (Notation.print_set (Notation.read (read_file set))); 0
      | [ "--one-shot"; certificate; set ] -> check_files (Some OneShot) certificate set
      | [ certificate; set ] when certificate.[0] <> '-' -> check_files None certificate set
      | [ "--help" ] -> print_string usage; 0
      | _ -> prerr_string usage; 2
    with Json.Bad why -> Printf.eprintf "error: %s\n" why; 2
  in
  exit status
