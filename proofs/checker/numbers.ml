(* Decimal texts to the numbers of Coq and back. A text is turned by halving and doubling it digit by digit, so that no machine integer
   limits it. *)
open Proved

let is_digits s = s <> "" && String.for_all (fun c -> c >= '0' && c <= '9') s

let without_zeros s =
  let n = String.length s in
  let rec first i = if i < n - 1 && s.[i] = '0' then first (i + 1) else i in
  let i = first 0 in
  String.sub s i (n - i)

(* Says whether one text of digits is at most another one. *)
let at_most a b =
  let a = without_zeros a and b = without_zeros b in
  String.length a < String.length b || (String.length a = String.length b && a <= b)

let halved s =
  let buffer = Buffer.create (String.length s) and rest = ref 0 in
  String.iter
    (fun c ->
      let d = (!rest * 10) + Char.code c - 48 in
      rest := d land 1;
      Buffer.add_char buffer (Char.chr (48 + (d / 2))))
    s;
  (without_zeros (Buffer.contents buffer), !rest)

let rec positive s =
  match halved s with
  | "0", 1 -> XH
  | "0", _ -> Json.bad "a number is zero"
  | half, 1 -> XI (positive half)
  | half, _ -> XO (positive half)

let natural s = if without_zeros s = "0" then N0 else Npos (positive s)

let doubled s carry =
  let n = String.length s in
  let digits = Bytes.make (n + 1) '0' and carry = ref carry in
  for i = n - 1 downto 0 do
    let d = (2 * (Char.code s.[i] - 48)) + !carry in
    Bytes.set digits (i + 1) (Char.chr (48 + (d mod 10)));
    carry := d / 10
  done;
  Bytes.set digits 0 (Char.chr (48 + !carry));
  without_zeros (Bytes.to_string digits)

let rec of_positive = function XH -> "1" | XO p -> doubled (of_positive p) 0 | XI p -> doubled (of_positive p) 1
let of_natural = function N0 -> "0" | Npos p -> of_positive p

(* The largest size. *)
let largest = "18446744073709551615"

(* An integer of 64 bits with a sign. *)
let integer = function
  | Json.Num s when is_digits s && at_most s "9223372036854775807" -> if s = "0" then Z0 else Zpos (positive s)
  | Json.Num s when String.length s > 1 && s.[0] = '-' && s <> "-0" ->
      let digits = String.sub s 1 (String.length s - 1) in
      if is_digits digits && at_most digits "9223372036854775808" then Zneg (positive digits)
      else Json.bad "`%s` is no integer of 64 bits" s
  | v -> Json.bad "`%s` is no integer of 64 bits" (Json.to_string v)

(* A number of something in a list. Coq's naturals are unary, and no list is as long as the limit. *)
let limit = 1_000_000

let index v =
  match v with
  | Json.Num s when is_digits s ->
      if not (at_most s (string_of_int limit)) then Json.bad "the number %s is larger than any list" s;
      int_of_string s
  | v -> Json.bad "`%s` is no number of something" (Json.to_string v)

let nat n =
  let r = ref O in
  for _ = 1 to n do r := S !r done;
  !r
