(* Reads certificates. Nothing here is trusted: whatever is built, an accepted value is a proof. Fields that the format does not have are
   refused, as they are by `lozenge verify`. *)
open Proved

type t =
  | Sat of { order : order; model : (string * string) list }
  | Unsat of { order : order; refutation : refutation }
  | Entails of { order : order; goal : string; cases : refutation list }

let fields what known = function
  | Json.Obj own ->
      List.iter (fun (k, _) -> if not (List.mem k known) then Json.bad "%s has an unknown field `%s`" what k) own;
      let keys = List.map fst own in
      if List.length (List.sort_uniq compare keys) < List.length keys then Json.bad "%s has a field twice" what;
      own
  | _ -> Json.bad "%s is no object" what

let field what own key =
  match List.assoc_opt key own with Some v -> v | None -> Json.bad "%s has no field `%s`" what key

let list what item = function Json.Arr l -> List.map item l | _ -> Json.bad "%s is no list" what
let text what = function Json.Str s -> s | _ -> Json.bad "%s is no text" what

(* A word, or an object with one key. *)
let tagged what = function
  | Json.Str s -> (s, Json.Null)
  | Json.Obj [ (key, v) ] -> (key, v)
  | _ -> Json.bad "%s is not in the format" what

let variable name =
  let n = String.length name in
  let is_length = n >= 3 && (name.[0] = 'X' || name.[0] = 'Y') && name.[1] = '<' && name.[n - 1] = '>' in
  let rest k = String.sub name k (n - k) in
  if name = "P" then LP
  else if is_length then
    let row = String.sub name 2 (n - 3) in
    if name.[0] = 'X' then LX row else LY row
  else if n >= 2 && name.[0] = 'q' && Numbers.is_digits (rest 1) && Numbers.without_zeros (rest 1) = rest 1
          && Numbers.at_most (rest 1) (string_of_int Numbers.limit) then
    LQ (Numbers.nat (int_of_string (rest 1)))
  else LOther name

(* The last of several coefficients of one variable counts. *)
let form = function
  | Json.Obj own ->
      let last = Hashtbl.create 8 in
      List.iter (fun (k, v) -> Hashtbl.replace last k (Numbers.integer v)) own;
      let keys = List.sort_uniq compare (List.map fst own) in
      let terms = List.filter (fun k -> k <> "1" && Hashtbl.find last k <> Z0) keys in
      { terms = List.map (fun k -> (variable k, Hashtbl.find last k)) terms;
        const = (match Hashtbl.find_opt last "1" with Some c -> c | None -> Z0) }
  | _ -> Json.bad "a form is no object"

let number v = Numbers.nat (Numbers.index v)

let place v =
  match tagged "a place" v with
  | "content", Json.Null -> Content
  | "leading", k -> Leading (number k)
  | "trailing", k -> Trailing (number k)
  | other, _ -> Json.bad "`%s` is no place" other

let step v =
  let own = fields "a step" [ "constraint"; "from"; "enter"; "by"; "land" ] v in
  let get = field "a step" own in
  { number = number (get "constraint");
    from_left =
      (match tagged "a side" (get "from") with
       | "left", Json.Null -> true
       | "right", Json.Null -> false
       | other, _ -> Json.bad "`%s` is no side" other);
    enter = place (get "enter");
    by_ =
      (match tagged "a crossing" (get "by") with
       | "leading", Json.Null -> By_leading
       | "trailing", Json.Null -> By_trailing
       | "equal", Json.Null -> By_equal
       | other, _ -> Json.bad "`%s` is no crossing" other);
    landing = place (get "land") }

let part v =
  match tagged "a part of a walk" v with
  | "step", v -> Single (step v)
  | "loop", v ->
      let own = fields "a loop" [ "steps"; "drift"; "times" ] v in
      let get = field "a loop" own in
      let steps = list "the steps" step (get "steps") in
      Loop (steps, Numbers.integer (get "drift"), form (get "times"))
  | other, _ -> Json.bad "`%s` is no part of a walk" other

let pair what = function Json.Arr [ a; b ] -> (a, b) | _ -> Json.bad "%s is no pair" what

let inequality v =
  let of_pair make v = let a, b = pair "an inequality" v in make (number a) (number b) in
  match tagged "an inequality" v with
  | "natural", name -> Natural (variable (text "a length" name))
  | "length", v -> of_pair (fun a b -> Length (a, b)) v
  | "quotient", v -> of_pair (fun a b -> Quotient (a, b)) v
  | "case", n -> Case (number n)
  | "assumed", n -> Assumed (number n)
  | other, _ -> Json.bad "`%s` is no inequality" other

let summand v = let i, factor = pair "a summand" v in (inequality i, Numbers.integer factor)

(* A node as it is written; its children are numbers. *)
type node = Leaf of tree | Inner of form * int * int

let node v =
  match tagged "a node" v with
  | "sum", v -> Leaf (Sum (list "a sum" summand v))
  | "clash", v -> Leaf (Clash (number v))
  | "split", v ->
      let own = fields "a split" [ "form"; "negative"; "other" ] v in
      let get = field "a split" own in
      Inner (form (get "form"), Numbers.index (get "negative"), Numbers.index (get "other"))
  | other, _ -> Json.bad "`%s` is no node" other

(* Builds the tree from the list of nodes, from the root on. Each node is a child of at most one other, so this ends. *)
let tree nodes =
  let nodes = Array.of_list nodes in
  let seen = Array.make (Array.length nodes) false in
  let rec build k =
    if k >= Array.length nodes then Json.bad "there is no node %d" k;
    if seen.(k) then Json.bad "node %d is part of two others" k;
    seen.(k) <- true;
    match nodes.(k) with
    | Leaf t -> t
    | Inner (f, negative, other) ->
        let negative = build negative in
        Split (f, negative, build other)
  in
  build 0

let quotient v =
  let own = fields "a quotient" [ "form"; "by" ] v in
  (form (field "a quotient" own "form"), Numbers.integer (field "a quotient" own "by"))

let clash v =
  let own = fields "a clash" [ "walks" ] v in
  list "the walks" (list "a walk" part) (field "a clash" own "walks")

let parts = [ "quotients"; "clashes"; "tree" ]

let refutation_of own =
  let get = field "a refutation" own in
  { quotients = list "the quotients" quotient (get "quotients");
    clashes = list "the clashes" clash (get "clashes");
    root = tree (list "the tree" node (get "tree")) }

let order v =
  match tagged "an order" v with
  | "marked", Json.Null -> Marked
  | "one-shot", Json.Null -> OneShot
  | other, _ -> Json.bad "`%s` is no order" other

let versioned own =
  (match field "the certificate" own "version" with
   | Json.Num "1" -> ()
   | _ -> Json.bad "it is of another version");
  order (field "the certificate" own "order")

let has key = function
  | Json.Obj own -> (match List.assoc_opt key own with None | Some Json.Null -> false | Some _ -> true)
  | _ -> false

let values what v =
  match v with
  | Json.Obj own -> List.map (fun (k, v) -> (k, text what v)) own
  | _ -> Json.bad "%s are no object" what

let read source =
  let v = Json.read source in
  let known extra = fields "the certificate" ([ "version"; "order" ] @ extra) v in
  if has "model" v then begin
    let own = known [ "model" ] in
    Sat { order = versioned own; model = values "the values" (field "the certificate" own "model") }
  end
  else if has "entails" v then begin
    let own = known [ "entails"; "cases" ] in
    let case v = refutation_of (fields "a case" parts v) in
    Entails
      { order = versioned own;
        goal = text "the constraint" (field "the certificate" own "entails");
        cases = list "the cases" case (field "the certificate" own "cases") }
  end
  else
    let own = known parts in
    Unsat { order = versioned own; refutation = refutation_of own }
