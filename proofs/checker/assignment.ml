(* Valuations and substitutions, from texts to the functions of the theorems. A variable without a value raises [Bad], so nothing is
   accepted that looks at one. *)
open Proved

(* The name of a row variable `<NAME>`. *)
let row_name key =
  let term = Notation.read_row_term key in
  match term with
  | { rlead = []; rvar = Some v; rtrail = [] } when String.trim key <> "" && (String.trim key).[0] = '<' -> v
  | _ -> Json.bad "`%s` is no variable" key

let dim_name key =
  match Notation.read_dim_term key with DVar v -> v | DConst _ -> Json.bad "`%s` is no variable" key

let is_row key = let key = String.trim key in key <> "" && key.[0] = '<'

(* Reads each text into a table by sort; the last value of a variable counts. *)
let tables own dim row =
  let dims = Hashtbl.create 16 and rows = Hashtbl.create 16 in
  List.iter
    (fun (k, v) ->
      if is_row k then Hashtbl.replace rows (row_name k) (row v) else Hashtbl.replace dims (dim_name k) (dim v))
    own;
  (dims, rows)

let valuation own =
  let dims, rows = tables own Notation.read_dim Notation.read_row in
  let find table key = match Hashtbl.find_opt table key with Some v -> v | None -> Json.bad "%s has no value" key in
  { vdim = find dims; vrow = find rows }

(* The identity outside the table. *)
let substitution own =
  let dims, rows = tables own Notation.read_dim_term Notation.read_row_term in
  let bare v = { rlead = []; rvar = Some v; rtrail = [] } in
  { sdim = (fun a -> Option.value (Hashtbl.find_opt dims a) ~default:(DVar a));
    srow = (fun x -> Option.value (Hashtbl.find_opt rows x) ~default:(bare x)) }
