(* Reads and prints the notation of constraint sets (docs/notation.md). The reader of the set is trusted: the theorems are about the set
   as it was read here, which [--print] shows. *)
open Proved

type set = { constraints : full list; summands : string list }

type reader = { line : string; number : int; mutable at : int }

let fail r format =
  Printf.ksprintf (fun text -> Json.bad "line %d, byte %d: %s" r.number (r.at + 1) text) format

let starts r token =
  let n = String.length token in
  r.at + n <= String.length r.line && String.sub r.line r.at n = token

let eat r token = starts r token && (r.at <- r.at + String.length token; true)
let peek r = if r.at < String.length r.line then Some r.line.[r.at] else None

let rec blanks r =
  match peek r with
  | Some (' ' | '\t' | '\r') -> r.at <- r.at + 1; blanks r
  | _ -> ()

let token r t = blanks r; eat r t
let require r t = if not (token r t) then fail r "no `%s`" t

(* The signs of the notation beyond ASCII. Every other character beyond ASCII is taken for a letter. *)
let signs = [ "\xe2\x8b\x84"; "\xe2\x8a\x91"; "\xe2\x89\x88"; "\xe2\x88\x85" ]
let marker = List.hd signs

let is_letter r =
  match peek r with
  | Some ('a' .. 'z' | 'A' .. 'Z') -> true
  | Some c when Char.code c >= 0xC0 -> not (List.exists (starts r) signs)
  | _ -> false

let is_digit r = match peek r with Some '0' .. '9' -> true | _ -> false

let rec skip_character r =
  r.at <- r.at + 1;
  match peek r with
  | Some c when Char.code c >= 0x80 && Char.code c < 0xC0 -> skip_character r
  | _ -> ()

let continues r ~prime =
  is_letter r || is_digit r || peek r = Some '_' || (prime && peek r = Some '\'')

let take_word r ~prime =
  let start = r.at in
  while continues r ~prime do skip_character r done;
  String.sub r.line start (r.at - start)

let name r =
  blanks r;
  if not (is_letter r || peek r = Some '_') then fail r "no name";
  take_word r ~prime:true

let digits r =
  blanks r;
  let start = r.at in
  while is_digit r do r.at <- r.at + 1 done;
  let text = String.sub r.line start (r.at - start) in
  if text = "" then fail r "no number";
  if not (Numbers.at_most text Numbers.largest) then fail r "the number does not fit 64 bits";
  text

let size r =
  let text = digits r in
  if Numbers.without_zeros text = "0" then fail r "a size is zero";
  Numbers.positive text

let no_name_follows r = if continues r ~prime:true then fail r "neither a size nor a name"

(* A size, a size with a basis, or the unit. *)
let constant r =
  let start = r.at in
  while is_digit r do r.at <- r.at + 1 done;
  let text = String.sub r.line start (r.at - start) in
  let is_one = text = "1" in
  if is_one && eat r "\xe2\x88\x85" then Unit
  else begin
    let basis =
      if not (eat r "_") then Some "default"
      else if is_letter r then Some (take_word r ~prime:false)
      else if is_one then None
      else fail r "no basis"
    in
    no_name_follows r;
    match basis with
    | None -> Unit
    | Some basis ->
        if not (Numbers.at_most text Numbers.largest) then fail r "the size does not fit 64 bits";
        if Numbers.without_zeros text = "0" then fail r "a size is zero";
        Atom (Numbers.positive text, basis)
  end

let dim r =
  blanks r;
  if is_digit r then DConst (constant r) else DVar (name r)

let at_row r =
  blanks r;
  peek r = Some '[' || (peek r = Some '<' && not (starts r "<="))

(* Reads the text at a marker: nothing, or a variable. *)
let at_marker r =
  blanks r;
  if eat r marker then Some None
  else if eat r "<" then if token r ">" then Some None else (let v = name r in require r ">"; Some (Some v))
  else None

let rec dims r =
  let d = dim r in
  if token r "," then d :: dims r else [ d ]

let flank r = blanks r; if is_letter r || is_digit r || peek r = Some '_' then dims r else []

let row r =
  blanks r;
  if eat r "<" then (let v = name r in require r ">"; { rlead = []; rvar = Some v; rtrail = [] })
  else begin
    require r "[";
    let first = flank r in
    let result =
      match at_marker r with
      | Some rvar -> { rlead = first; rvar; rtrail = flank r }
      | None -> { rlead = []; rvar = None; rtrail = first }
    in
    require r "]";
    result
  end

let modes = [ ("pad", Exact); ("floor", Floor); ("ceil", Ceil); ("same_lower", Same_lower); ("same", Same) ]

type summand = Term of positive * dterm | Phase of string

let summand r =
  blanks r;
  if not (is_digit r) then Term (XH, dim r)
  else begin
    let number = digits r in
    if peek r = Some '_' then fail r "a size has no coefficient";
    if token r "*" then begin
      if Numbers.without_zeros number = "0" then fail r "a coefficient is zero";
      Term (Numbers.positive number, dim r)
    end
    else Phase number
  end

(* The right side of a window: what moves along the axis. *)
let sum r make =
  match summand r with
  | Phase _ -> fail r "a number is no axis"
  | Term (stride, over) ->
      let rec more taps =
        if not (token r "+") then make stride over (List.rev taps) N0
        else
          match summand r with
          | Term (dilation, tap) -> more ((dilation, tap) :: taps)
          | Phase number ->
              let stride_text = Numbers.of_positive stride in
              let is_block = taps = [] && Numbers.without_zeros number <> "0" in
              if not (is_block && Numbers.at_most number stride_text && Numbers.without_zeros number <> stride_text) then
                fail r "a number is no position in a block";
              make stride over [] (Numbers.natural number)
      in
      more []

let mode_here r =
  let is_here (word, _) =
    starts r word
    &&
    let ahead = { r with at = r.at + String.length word } in
    blanks ahead;
    peek ahead = Some '('
  in
  List.find_opt is_here modes

let window r axis =
  match mode_here r with
  | None -> sum r (fun stride over taps phase -> Window (axis, stride, over, taps, phase, Exact, N0, N0))
  | Some (word, mode) ->
      r.at <- r.at + String.length word;
      require r "(";
      let built = sum r (fun stride over taps phase low high -> Window (axis, stride, over, taps, phase, mode, low, high)) in
      let low, high =
        if token r "," then begin
          if mode = Same || mode = Same_lower then fail r "`%s` makes its own margins" word;
          let low = Numbers.natural (digits r) in
          (low, if token r "," then Numbers.natural (digits r) else low)
        end
        else if mode = Exact then fail r "no margins"
        else (N0, N0)
      in
      require r ")";
      built low high

let rec separated r sign item =
  let first = item r in
  if token r sign then first :: separated r sign item else [ first ]

let factor r =
  if token r "|" then (let own = row r in require r "|"; Row_factor own) else Axis_factor (dim r)

(* The form of the right of `=`, told by the first sign on the line. *)
type right_side = Lone | Windows | Product_of | Concat_of

let right_side r =
  blanks r;
  let rest = String.sub r.line r.at (String.length r.line - r.at) in
  let is_sign c = String.contains "+*(^|" c in
  let n = String.length rest in
  let rec first i = if i = n then None else if is_sign rest.[i] then Some i else first (i + 1) in
  match first 0 with
  | None -> Lone
  | Some i -> (
      let is_bare_size = String.for_all (fun c -> c >= '0' && c <= '9') (String.trim (String.sub rest 0 i)) in
      match rest.[i] with
      | '^' -> Concat_of
      | '|' -> Product_of
      | '*' when (not is_bare_size) || String.contains rest '|' -> Product_of
      | '+' | '*' -> Windows
      | _ -> if mode_here r <> None then Windows else Lone)

let of_dims r =
  let left = dim r in
  blanks r;
  if eat r ">=" then Of_sizes (At_least (left, size r))
  else if eat r "<=" || eat r "\xe2\x8a\x91" then Core (DLe (left, dim r))
  else if eat r "=" then
    match right_side r with
    | Lone -> Core (DEq (left, dim r))
    | Windows -> Of_sizes (window r left)
    | Concat_of -> Of_sizes (Concat (left, separated r "^" dim))
    | Product_of -> Of_sizes (Product (left, separated r "*" factor))
  else fail r "no relation"

let of_rows r =
  let left = row r in
  blanks r;
  if peek r = Some '+' then begin
    require r "++";
    let rows = left :: separated r "++" row in
    if not (token r "~" || token r "\xe2\x89\x88") then fail r "no `~`";
    require r "[";
    let axes = flank r in
    require r "]";
    Of_sizes (Side_by_side (rows, axes))
  end
  else if eat r "~" || eat r "\xe2\x89\x88" then Core (REq (left, row r))
  else if eat r "<=" || eat r "\xe2\x8a\x91" then Core (RLe (left, row r))
  else fail r "no relation"

let finish r = blanks r; if peek r <> None then fail r "text after the end"

let read_constraint_at number line =
  let r = { line; number; at = 0 } in
  let c = if at_row r then of_rows r else of_dims r in
  finish r;
  c

(* A declaration is a word before a NAME or `<NAME>`. In `leaf = 3`, `leaf` is a variable. *)
let declares r word =
  starts r word
  &&
  let ahead = { r with at = r.at + String.length word } in
  let before = ahead.at in
  blanks ahead;
  if peek ahead = Some '<' then not (starts ahead "<=")
  else ahead.at > before && (is_letter ahead || peek ahead = Some '_')

let rec declared r tag tags ~rows =
  blanks r;
  let key =
    if peek r = Some '<' then begin
      if not rows then fail r "a row may not be 0";
      ignore (eat r "<");
      let v = name r in
      require r ">";
      "<" ^ v ^ ">"
    end
    else name r
  in
  (match Hashtbl.find_opt tags key with
   | Some before when before <> tag -> fail r "`%s` is declared already" key
   | _ -> Hashtbl.replace tags key tag);
  if token r "," then key :: declared r tag tags ~rows else [ key ]

let read text =
  let tags = Hashtbl.create 16 and own = Hashtbl.create 4 in
  let statement number line (constraints, summands) =
    let line = match String.index_opt line '#' with Some k -> String.sub line 0 k | None -> line in
    let r = { line; number; at = 0 } in
    blanks r;
    if peek r = None then (constraints, summands)
    else if (not (at_row r)) && List.exists (declares r) [ "leaf"; "param"; "interior" ] then begin
      let tag = List.find (declares r) [ "leaf"; "param"; "interior" ] in
      r.at <- r.at + String.length tag;
      ignore (declared r tag tags ~rows:true);
      finish r;
      (constraints, summands)
    end
    else if (not (at_row r)) && declares r "summand" then begin
      r.at <- r.at + String.length "summand";
      let names = declared r "summand" own ~rows:false in
      finish r;
      (constraints, names @ summands)
    end
    else (read_constraint_at number line :: constraints, summands)
  in
  let lines = String.split_on_char '\n' text in
  let constraints, summands =
    List.fold_left (fun (n, acc) line -> (n + 1, statement n line acc)) (1, ([], [])) lines |> snd
  in
  { constraints = List.rev constraints; summands }

let read_core text =
  match String.index_opt text '\n' with
  | Some _ -> Json.bad "`%s` is not one constraint" (String.escaped text)
  | None -> (
      let text = match String.index_opt text '#' with Some k -> String.sub text 0 k | None -> text in
      match read_constraint_at 1 text with
      | Core c -> c
      | Of_sizes _ -> Json.bad "it is about a constraint between sizes, of which nothing is proved")

let whole text part =
  let r = { line = text; number = 1; at = 0 } in
  let value = part r in
  finish r;
  value

let read_dim_term text = whole text dim
let read_row_term text = whole text row

let ground_dim = function DConst d -> d | DVar v -> Json.bad "the variable %s has no value" v

let read_dim text = ground_dim (read_dim_term text)

let read_row text =
  match read_row_term text with
  | { rlead; rvar = None; rtrail } -> { lead = List.map ground_dim rlead; trail = List.map ground_dim rtrail }
  | _ -> Json.bad "the row `%s` has a variable" text

(* Printing, as `lozenge` prints. *)

let print_atom = function
  | Unit -> "1_"
  | Atom (n, "default") -> Numbers.of_positive n
  | Atom (n, basis) -> Numbers.of_positive n ^ "_" ^ basis

let print_dim = function DVar v -> v | DConst d -> print_atom d
let listed axes = String.concat ", " (List.map print_dim axes)

let print_row { rlead; rvar; rtrail } =
  match (rlead, rvar, rtrail) with
  | [], Some v, [] -> "<" ^ v ^ ">"
  | _ ->
      let at_marker =
        match rvar with Some v -> [ "<" ^ v ^ ">" ] | None -> if rlead = [] then [] else [ "<>" ]
      in
      let flank axes = if axes = [] then [] else [ listed axes ] in
      "[" ^ String.concat " " (flank rlead @ at_marker @ flank rtrail) ^ "]"

let print_ground_row { lead; trail } =
  let terms = List.map (fun d -> DConst d) in
  print_row { rlead = terms lead; rvar = None; rtrail = terms trail }

let print_core = function
  | DEq (a, b) -> print_dim a ^ " = " ^ print_dim b
  | DLe (a, b) -> print_dim a ^ " <= " ^ print_dim b
  | REq (a, b) -> print_row a ^ " ~ " ^ print_row b
  | RLe (a, b) -> print_row a ^ " <= " ^ print_row b

let print_first i term =
  match term with
  | DConst (Atom (n, "default")) when i = 0 -> Numbers.of_positive n ^ "_default"
  | term -> print_dim term

let print_window axis stride over taps phase mode low high =
  let in_full = mode = Exact && low = N0 && high = N0 in
  let term (c, t) =
    match t with
    | DVar v when c = XH && not (in_full && taps = []) -> v
    | t -> Numbers.of_positive c ^ "*" ^ print_dim t
  in
  let phase = if phase = N0 then [] else [ Numbers.of_natural phase ] in
  let sum = String.concat " + " (List.map term ((stride, over) :: taps) @ phase) in
  let right =
    if in_full then sum
    else
      let word = fst (List.find (fun (_, m) -> m = mode) modes) in
      let margins =
        if low = N0 && high = N0 then ""
        else if low = high then ", " ^ Numbers.of_natural low
        else ", " ^ Numbers.of_natural low ^ ", " ^ Numbers.of_natural high
      in
      word ^ "(" ^ sum ^ margins ^ ")"
  in
  print_dim axis ^ " = " ^ right

let print_sized = function
  | Window (axis, stride, over, taps, phase, mode, low, high) -> print_window axis stride over taps phase mode low high
  | Concat (whole, parts) -> print_dim whole ^ " = " ^ String.concat " ^ " (List.mapi print_first parts)
  | Product (whole, factors) ->
      let factor i = function Axis_factor t -> print_first i t | Row_factor r -> "|" ^ print_row r ^ "|" in
      print_dim whole ^ " = " ^ String.concat " * " (List.mapi factor factors)
  | Side_by_side (rows, axes) -> String.concat " ++ " (List.map print_row rows) ^ " ~ [" ^ listed axes ^ "]"
  | At_least (t, n) -> print_dim t ^ " >= " ^ Numbers.of_positive n

let print_constraint = function Core c -> print_core c | Of_sizes s -> print_sized s
let print_set set = String.concat "" (List.map (fun c -> print_constraint c ^ "\n") set.constraints)
