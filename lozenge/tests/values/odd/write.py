"""Writes the tables of `odd-tables.loz` beside it, and the program itself, whose values are those of Python's csv module.

    python3 lozenge/tests/values/odd/write.py

Each table is a way in which people's files are written. Python's csv module finds the cells, and float() the values.
"""

import csv
import io
import os

HERE = os.path.dirname(os.path.abspath(__file__))

# name: (the bytes, the options of the data line, the columns that are read, whether it has a header, the arguments of csv.reader)
TABLES = {
    "comma": (b'1,"Ives, Mr. A",7.25\n2,"Orr, Mrs. B",71.5\n', 'columns 2..3', [2], False, {}),
    "doubled": (b'"say ""a,b""",1\n"""",2\n"""a""",3\n', 'columns 1..2', [1], False, {}),
    "broken": (b'1,"two\nlines",2\n3,"and\r\nthree\n\n",4\n5,x,6\n', 'columns 2..3', [2], False, {}),
    "all_quoted": (b'"1","2"\n"-3","4e1"\n', '', [0, 1], False, {}),
    "crlf": (b'a,b\r\n1,2\r\n3,4\r\n', 'header', [0, 1], True, {}),
    "crlf_quoted": (b'"a","b"\r\n"1","x\r\ny"\r\n"3","4"\r\n', 'header column "a"', [0], True, {}),
    "no_last_break": (b'1,2\n3,4', '', [0, 1], False, {}),
    "no_last_break_quoted": (b'1,"2"\n3,"4"', '', [0, 1], False, {}),
    "mark": (b'\xef\xbb\xbfa,b\n1,2\n', 'header column "a"', [0], True, {}),
    "mark_quoted": (b'\xef\xbb\xbf"a, of it",b\n1,2\n', 'header column "a, of it"', [0], True, {}),
    "mark_only_values": (b'\xef\xbb\xbf1,2\n3,4\n', '', [0, 1], False, {}),
    "header_quoted": (b'"name, first","age ""now""",x\nA,3,4\n"B,C",5,6\n', 'header columns 1..', [1, 2], True, {}),
    "tabs": (b'a\tb\nC, d\t1\n"e\tf"\t2\n', 'header column "b" separator tab', [1], True, {"delimiter": "\t"}),
    "semicolons": (b'a;b;c\nx;1;2\n"y;z";3;4\n', 'header columns 1.. separator ";"', [1, 2], True, {"delimiter": ";"}),
    "bars": (b'1|2\n3|4\n', 'separator "|"', [0, 1], False, {"delimiter": "|"}),
    "blanks_in_front": (b'1, "a, b", 2\n3, "c", 4\n', 'column 2', [2], False, {"skipinitialspace": True}),
    "blanks_around": (b' 1 ,  2\n3\t, 4 \n', '', [0, 1], False, {}),
    "inner_quote": (b'6" pipe,1\n5\'7",2\n', 'column 1', [1], False, {}),
    "apostrophes": (b"it's,1\n'tis,2\n", 'column 1', [1], False, {}),
    "empty_quoted": (b'"",1\n"",2\n', 'column 1', [1], False, {}),
    "empty_unread": (b',1\n,2\nx,3\n', 'column 1', [1], False, {}),
    "one_column": (b'1\n2\n3\n', '', [0], False, {}),
    "one_row": (b'1,2,3\n', '', [0, 1, 2], False, {}),
    "exponents": (b'1e3,-2.5E-2,+4,.5,5.\n', '', [0, 1, 2, 3, 4], False, {}),
    "not_finite": (b'inf,-inf,nan,Infinity,NaN\n', '', [0, 1, 2, 3, 4], False, {}),
    "signs": ("é,ß\n1,2\n3,4\n".encode(), 'header column "é"', [0], True, {}),
    "empty_lines": (b'\n\n1,2\n\n3,4\n\n\n', '', [0, 1], False, {}),
    "hash_in_text": (b'#1,2\n#3,4\n', 'column 1', [1], False, {}),
    "years": (b'2019,2020\n1,2\n3,4\n', 'header column "2020"', [1], True, {}),
    "wide": (b",".join(b"%d" % i for i in range(300)) + b"\n", 'columns 290..', list(range(290, 300)), False, {}),
}


def values(data, columns, header, arguments):
    text = data.decode("utf-8-sig")
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), **arguments) if row]
    return [float(row[column]) for row in rows[1 if header else 0:] for column in columns]


def main():
    lines = [
        "# Tables as people have them, with the values that Python's csv module and float() read (odd/write.py writes this file).",
    ]
    for name, (data, options, columns, header, arguments) in TABLES.items():
        with open(os.path.join(HERE, f"{name}.csv"), "wb") as out:
            out.write(data)
        found = values(data, columns, header, arguments)
        shape = f"{len(found) // len(columns)}|->{len(columns)}"
        options = f" {options}" if options else ""
        lines.append(f'data {name} : {shape} from "odd/{name}.csv"{options}')
        lines.append(f"print {name}  #= {' '.join(repr(value) for value in found)}")
    with open(os.path.join(HERE, "..", "odd-tables.loz"), "w") as out:
        out.write("\n".join(lines) + "\n")


main()
