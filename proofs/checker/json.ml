(* Reads and prints JSON. Numbers stay texts, since they may be larger than machine integers. A text that is no JSON is [Bad]. *)

exception Bad of string

type t = Null | Bool of bool | Num of string | Str of string | Arr of t list | Obj of (string * t) list

let bad format = Printf.ksprintf (fun text -> raise (Bad text)) format

(* Nothing of a certificate is nested deeper; the limit keeps the reader's stack small. *)
let deepest = 120

let add_utf8 buffer c =
  let byte n = Buffer.add_char buffer (Char.chr n) in
  let tail shift = byte (0x80 lor ((c lsr shift) land 0x3F)) in
  if c < 0x80 then byte c
  else if c < 0x800 then (byte (0xC0 lor (c lsr 6)); tail 0)
  else if c < 0x10000 then (byte (0xE0 lor (c lsr 12)); tail 6; tail 0)
  else (byte (0xF0 lor (c lsr 18)); tail 12; tail 6; tail 0)

type reader = { text : string; mutable at : int }

let peek r = if r.at < String.length r.text then Some r.text.[r.at] else None

let rec blanks r =
  match peek r with
  | Some (' ' | '\n' | '\t' | '\r') -> r.at <- r.at + 1; blanks r
  | _ -> ()

let expect r c = if peek r = Some c then r.at <- r.at + 1 else bad "no `%c` at byte %d of the JSON" c r.at

let word r w value =
  let n = String.length w in
  if r.at + n <= String.length r.text && String.sub r.text r.at n = w then (r.at <- r.at + n; value)
  else bad "no value at byte %d of the JSON" r.at

let hex4 r =
  if r.at + 4 > String.length r.text then bad "a short escape in a string";
  let digit c =
    match c with
    | '0' .. '9' -> Char.code c - 48
    | 'a' .. 'f' -> Char.code c - 87
    | 'A' .. 'F' -> Char.code c - 55
    | _ -> bad "no hexadecimal digit in a string"
  in
  let value = ref 0 in
  for i = r.at to r.at + 3 do value := (!value * 16) + digit r.text.[i] done;
  r.at <- r.at + 4;
  !value

let escape r buffer =
  match peek r with
  | None -> bad "a string is not closed"
  | Some c -> (
      r.at <- r.at + 1;
      let add = Buffer.add_char buffer in
      match c with
      | '"' | '\\' | '/' -> add c
      | 'b' -> add '\b'
      | 'f' -> add '\012'
      | 'n' -> add '\n'
      | 'r' -> add '\r'
      | 't' -> add '\t'
      | 'u' ->
          let high = hex4 r in
          if high >= 0xDC00 && high < 0xE000 then bad "half a character in a string"
          else if high < 0xD800 || high >= 0xE000 then add_utf8 buffer high
          else begin
            expect r '\\';
            expect r 'u';
            let low = hex4 r in
            if low < 0xDC00 || low >= 0xE000 then bad "half a character in a string";
            add_utf8 buffer (0x10000 + ((high - 0xD800) lsl 10) + (low - 0xDC00))
          end
      | _ -> bad "an unknown escape in a string")

let string r =
  expect r '"';
  let buffer = Buffer.create 16 in
  let rec go () =
    match peek r with
    | None -> bad "a string is not closed"
    | Some '"' -> r.at <- r.at + 1
    | Some '\\' -> r.at <- r.at + 1; escape r buffer; go ()
    | Some c when c < ' ' -> bad "a control character in a string"
    | Some c -> Buffer.add_char buffer c; r.at <- r.at + 1; go ()
  in
  go ();
  Buffer.contents buffer

let digits r =
  let start = r.at in
  while (match peek r with Some '0' .. '9' -> true | _ -> false) do r.at <- r.at + 1 done;
  if r.at = start then bad "a number without digits at byte %d of the JSON" start

let number r =
  let start = r.at in
  if peek r = Some '-' then r.at <- r.at + 1;
  if peek r = Some '0' then r.at <- r.at + 1 else digits r;
  if peek r = Some '.' then (r.at <- r.at + 1; digits r);
  (match peek r with
   | Some ('e' | 'E') ->
       r.at <- r.at + 1;
       (match peek r with Some ('+' | '-') -> r.at <- r.at + 1 | _ -> ());
       digits r
   | _ -> ());
  (match peek r with Some '0' .. '9' -> bad "a number begins with 0" | _ -> ());
  Num (String.sub r.text start (r.at - start))

let rec value r depth =
  if depth > deepest then bad "the JSON is nested too deep";
  blanks r;
  let items close item =
    r.at <- r.at + 1;
    blanks r;
    if peek r = Some close then (r.at <- r.at + 1; [])
    else
      let rec more acc =
        let acc = item () :: acc in
        blanks r;
        if peek r = Some ',' then (r.at <- r.at + 1; more acc) else (expect r close; List.rev acc)
      in
      more []
  in
  match peek r with
  | Some '{' ->
      Obj (items '}' (fun () ->
          blanks r;
          let key = string r in
          blanks r;
          expect r ':';
          (key, value r (depth + 1))))
  | Some '[' -> Arr (items ']' (fun () -> value r (depth + 1)))
  | Some '"' -> Str (string r)
  | Some 't' -> word r "true" (Bool true)
  | Some 'f' -> word r "false" (Bool false)
  | Some 'n' -> word r "null" Null
  | Some ('-' | '0' .. '9') -> number r
  | _ -> bad "no value at byte %d of the JSON" r.at

let read text =
  let r = { text; at = 0 } in
  let v = value r 0 in
  blanks r;
  if r.at <> String.length text then bad "text after the JSON, at byte %d" r.at;
  v

let rec print buffer v =
  let add = Buffer.add_string buffer in
  let separated item = List.iteri (fun i v -> if i > 0 then add ","; item v) in
  match v with
  | Null -> add "null"
  | Bool b -> add (string_of_bool b)
  | Num n -> add n
  | Str s -> print_string buffer s
  | Arr l -> add "["; separated (print buffer) l; add "]"
  | Obj l ->
      add "{";
      separated (fun (k, v) -> print_string buffer k; add ":"; print buffer v) l;
      add "}"

and print_string buffer s =
  Buffer.add_char buffer '"';
  String.iter
    (function
      | '"' -> Buffer.add_string buffer "\\\""
      | '\\' -> Buffer.add_string buffer "\\\\"
      | c when c < ' ' -> Buffer.add_string buffer (Printf.sprintf "\\u%04x" (Char.code c))
      | c -> Buffer.add_char buffer c)
    s;
  Buffer.add_char buffer '"'

let to_string v =
  let buffer = Buffer.create 64 in
  print buffer v;
  Buffer.contents buffer
