import pytest

from ffbm.data import as_network, read_network
from ffbm.errors import DataError


@pytest.fixture
def read(tmp_path):
    def read(edges: str, nodes: str | None = None, suffix: str = ".csv", **options):
        (tmp_path / f"edges{suffix}").write_text(edges)
        if nodes is not None:
            (tmp_path / "nodes.csv").write_text(nodes)
        return read_network(tmp_path / f"edges{suffix}", None if nodes is None else tmp_path / "nodes.csv", **options)

    return read


def test_the_order_is_the_node_tables(read):
    net = read("a,b\nb,c\n", "id,x\nd,1\nc,2\nb,3\na,4\n")
    assert net.node_ids.tolist() == ["d", "c", "b", "a"]
    assert net.graph.degrees.tolist() == [0, 1, 2, 1]


def test_without_a_table_the_order_is_that_of_appearance(read):
    for edges in ("b,a\na,c\n", "2,1\n1,3\n"):
        assert read(edges).node_ids.tolist() == list(dict.fromkeys(edges.replace("\n", ",").split(",")))[:3]


def test_ids_are_text_as_written(read):
    net = read("source,target\n007,7\nNA,null\n7.0,1e3\n")
    assert net.node_ids.tolist() == ["007", "7", "NA", "null", "7.0", "1e3"]


def test_node_ids_are_python_strings_however_they_came(read):
    for net in (read("1,2\n"), read("a,b\n"), read("1,2\n", "id,x\n1,5\n2,6\n"), as_network([(1, 2)])):
        assert net.node_ids.dtype == object
        assert {type(name) for name in net.node_ids} == {str}


def test_whole_numbers_and_text_join(read):
    net = read("1,2\n2,3\n", "id,x\n3,a\n1,b\n2,a\n007,b\n")
    assert net.graph.degrees.tolist() == [1, 1, 2, 0]


def test_unknown_ids_are_named_first_few(read):
    edges = "".join(f"a,u{k}\n" for k in range(9))
    with pytest.raises(DataError, match=r"9 ids not in .*: 'u0', 'u1', 'u2', 'u3', 'u4' and 4 more; add"):
        read(edges, "id,x\na,1\n")
    net = read(edges, "id,x,y\na,1,p\nb,0,q\n", unknown="keep")
    assert net.node_ids.tolist() == ["a", "b", *(f"u{k}" for k in range(9))]
    values = net.features.values
    assert not values[2:].sum()


def test_the_one_column_that_has_the_ids_of_the_edges_is_taken(read):
    nodes = "id,who,x\n1,a,5\n2,b,6\n3,c,7\n"
    net = read("a,b\nb,c\n", nodes)
    assert net.node_ids.tolist() == ["a", "b", "c"]
    assert "ids taken from the column 'who'" in next(note.message for note in net.notes if note.code == "id-column")
    assert read("a,b\nb,c\n", nodes, id="who").n_nodes == 3
    with pytest.raises(DataError, match="pass id='who'"):  # not all of them
        read("a,b\nb,c\nc,d\n", nodes)
    with pytest.raises(DataError, match="pass id='who'"):  # two columns have them
        read("a,b\nb,c\n", "id,who,also\n1,a,a\n2,b,b\n3,c,c\n")


def test_a_table_with_other_ids_than_a_graph_file_is_told_which_attribute_has_them(read):
    gml = 'graph [ node [ id 8 label "a" ] node [ id 9 label "b" ] edge [ source 8 target 9 ] ]'
    with pytest.raises(DataError, match="pass id='label'"):
        read(gml, "id,x\na,1\nb,2\n", ".gml")
    assert read(gml, "id,x\na,1\nb,2\n", ".gml", id="label").node_ids.tolist() == ["a", "b"]


def test_a_table_that_was_guessed_wrong_is_told_the_options(read):
    for nodes, option in (
        ("dept,age\nIT,3\nIT,4\n", r"in id= \(--id\)$"),
        ("from,to\na,b\na,c\n", r"nodes= \(--nodes\)$"),
    ):
        with pytest.raises(DataError, match=option):
            read("a,b\nb,c\n", nodes)
    for nodes, id_ in (("id,x\na,1\na,2\n", None), ("who,x\na,1\na,2\n", "who")):
        with pytest.raises(DataError, match=r"stands twice on lines 2 and 3: drop one$"):
            read("a,b\nb,c\n", nodes, id=id_)


def test_no_edges_are_told_of_the_edges(read):
    notes = {note.code: note.message for note in read("source,target\n", "id,x\na,1\nb,2\n").notes}
    assert notes["no-edges"].endswith("edges.csv: the network has no edges")


def test_no_common_id_is_refused_even_where_unknown_ids_are_kept(read):
    with pytest.raises(DataError, match="none of them"):
        read("a,b\n", "id,x\n1,1\n", unknown="keep")


def test_spaces_around_ids_are_taken_off_on_both_sides(read):
    net = read("source, target\na, b\n b,c \n", "id,x\n a,1\nb ,2\nc,3\n")
    assert net.node_ids.tolist() == ["a", "b", "c"]
    assert net.n_edges == 2
    merged = read("a,b\n a,c\n", "id,x\nc,1\nb,2\na,3\n")
    assert merged.graph.degrees.tolist() == [1, 1, 2]


def test_ids_that_a_table_tells_apart_by_spaces_stay_apart(read):
    net = read('source,target\n"a",b\n"a ",b\n', 'id,x\n"a",1\n"a ",0\nb,1\n')
    assert net.node_ids.tolist() == ["a", "a ", "b"]
    assert net.graph.degrees.tolist() == [1, 1, 2]


def test_labels_that_are_names_are_no_features(read):
    gml = "graph [ node [ id 1 label {} ] node [ id 2 label {} ] node [ id 3 label 30 ] edge [ source 1 target 2 ] ]"
    assert read(gml.format(10, 20), suffix=".gml").n_features == 0
    assert read(gml.format(10, 20), suffix=".gml", include="label").features.names == ("label",)
    assert read(gml.format(10, 10), suffix=".gml", categorical="label").features.names == ("label=10", "label=30")


def test_options_reach_the_encoder(read):
    nodes = "id,code,team,year\na,1,red,9\nb,2,red,9\nc,1,,9\n"
    net = read("a,b\nb,c\n", nodes, categorical=["code"], drop={"code": ["2"]}, missing="flag", exclude=["year"])
    assert net.features.names == ("code=1", "code=missing", "team=red", "team=missing")


def test_errors_of_the_encoder_name_the_file(read):
    with pytest.raises(DataError, match=r"nodes\.csv: "):
        read("a,b\n", "id,x\na,1\nb,2\n", include=["nothing"])


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ("a,b\nb,x\n", "1 id not in .*: 'x'; add it there, or keep it with unknown=keep \\(--unknown keep\\)$"),
        ("a,b\nb,x\nb,y\n", "2 ids not in .*: 'x', 'y'; add them there, or keep them with unknown=keep"),
    ],
)
def test_what_to_do_with_unknown_ids(tmp_path, edges, said):
    (tmp_path / "e.csv").write_text(f"source,target\n{edges}")
    (tmp_path / "n.csv").write_text("id,t\na,1\nb,0\n")
    with pytest.raises(DataError, match=said):
        read_network(tmp_path / "e.csv", nodes=tmp_path / "n.csv")


def test_rows_that_say_the_same_are_read_once(read):
    net = read("a,b\nb,c\n", "who,x\na,1\nb,2\na,1\nc,3\na,1\n")
    assert net.node_ids.tolist() == ["a", "b", "c"]
    assert {note.code: note.count for note in net.notes}["repeated"] == 2
    with pytest.raises(DataError, match=r"'a' stands twice on lines 2 and 3: drop one$"):
        read("a,b\nb,c\n", "who,x\na,1\na,2\nb,1\nc,1\nc,1\n")


def test_lists_of_one_entry_are_the_entry(read):
    net = read("0,1\n1,2\n", 'id,group\n0,"array([4], dtype=int16)"\n1,"array([5], dtype=int16)"\n2,"array([4])"\n')
    assert net.features.names == ("group",)
    assert net.features.mean[0] == pytest.approx(13 / 3)
    assert "lists" in [note.code for note in net.notes]


def test_ids_that_were_floats_in_one_file_are_whole_numbers(read):
    for edges, nodes in (
        ("1,2\n2,3\n", "id,x\n1.0,5\n2.0,6\n3.0,7\n"),
        ("1.0,2.0\n2.0,3.0\n", "id,x\n1,5\n2,6\n3,7\n"),
    ):
        net = read(edges, nodes)
        assert net.node_ids.tolist() == ["1", "2", "3"]
        assert "whole-ids" in [note.code for note in net.notes]
    assert read("1.0,2.0\n", "id,x\n1.0,5\n2.0,6\n").node_ids.tolist() == ["1.0", "2.0"]
    with pytest.raises(DataError, match="has 1 id not in"):
        read("1.0,2.0\n1.0,1.5\n", "id,x\n1.0,5\n2.0,6\n")
