#!/usr/bin/env python3
"""tests/grade/gradebooks.py FOLDER: reads a class's canvas.csv and moodle.csv by the rules of Canvas's importer and of
Moodle's, and prints each student's points as they would get them: "canvas anna 4". Exit code 1 if a file is refused."""
import csv
import pathlib
import re
import sys


def refuse(why):
    sys.exit(f"refused: {why}")


def rows_of(path):
    text = path.read_bytes().decode("utf-8")  # both take UTF-8; anything else is refused here
    return [row for row in csv.reader(text.splitlines(), strict=True) if row]


def canvas(path):
    """The columns about the student end with Section: which come before it, its reader counts by their names."""
    header, *rows = rows_of(path)
    if len(header) <= 3 or "Student" not in header[0] or "ID" not in header[1]:
        refuse("Canvas: no header row")
    columns, user, login = 3, None, None
    if re.search(r"SIS\s+Login\s+ID", header[2]):
        login, columns = 2, 4
    elif re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3]):
        user, login, columns = 2, 3, 5
        if "Integration ID" in header[4]:
            columns += 1
    if "Section" not in header[columns - 1]:
        refuse("Canvas: invalid header row")
    if len(header) != columns + 1:
        refuse("Canvas: one assignment is expected")
    if re.search("(Current|Final|Override) (Score|Points|Grade|Status)", header[columns]):
        refuse("Canvas: the assignment's name is one of a column that is left out")
    for row in rows:
        if len(row) != len(header):
            refuse(f"Canvas: {len(row)} columns in {row}")
        if "Points Possible" in row[0]:
            float(row[columns])
            continue
        if not re.fullmatch(r"(-?[0-9.,]+%?)?", row[columns]):
            refuse(f"Canvas: no grade: {row[columns]}")
        if not (row[1] or (user and row[user]) or (login and row[login])):
            refuse(f"Canvas: nobody is meant by {row}")
        print("canvas", row[user] if user else row[1], row[columns] or "nothing")


def moodle(path):
    """Each row has as many columns as the header. A grade is empty, "-" or a number, and by default at most 100
    (Moodle, grade/import/csv/classes/load_data.php); that a student stands there once is our own rule."""
    header, *rows = rows_of(path)
    if len(header) < 2 or len(set(header)) != len(header) or not all(header):
        refuse("Moodle: too few columns, or some of the same name")
    if not {"ID number", "Email address"} & set(header):
        refuse("Moodle: no column says who is meant")
    grade = next(i for i, name in enumerate(header) if name not in ("ID number", "Email address", "Feedback"))
    seen = set()
    for row in rows:
        if len(row) != len(header):
            refuse(f"Moodle: {len(row)} columns in {row}")
        if row[0] in seen:
            refuse(f"Moodle: {row[0]} twice")
        seen.add(row[0])
        if row[grade] not in ("", "-") and float(row[grade]) > 100:
            refuse(f"Moodle: the grade {row[grade]} is too big")
        print("moodle", row[0], row[grade] or "nothing")


folder = pathlib.Path(sys.argv[1])
canvas(folder / "canvas.csv")
moodle(folder / "moodle.csv")
