"""The graph of a BERT encoder for onnxruntime, made from its weights: what reads pairs, and what makes vectors of texts.

Word vectors are an input and not a table inside: a table of 250,000 words is read from its packed file a row at a time,
so that neither the graph nor memory holds it whole. Names of the weights are those of a BERT encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import onnx
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Read = Callable[[str], Floats]

OPSET, IR = 20, 10
UNSEEN = -10_000.0
"""Added to the attention to a place without a token; float16 could not hold much less."""
ATTENTION = ("query", "key", "value")


@dataclass(frozen=True)
class Sizes:
    """What of an encoder its weights do not show."""

    layers: int
    heads: int
    hidden: int
    epsilon: float


@dataclass(frozen=True)
class Head:
    """The linear layer on what is pooled of a pair: `weight` is labels × 4·hidden, `bias` labels."""

    weight: Floats
    bias: Floats


class _Graph:
    """Nodes and constants in the making."""

    def __init__(self, read: Read, sizes: Sizes) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._read, self._sizes = read, sizes

    def constant(self, value: NDArray[np.generic]) -> str:
        import numpy as np
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def numbers(self, *values: int) -> str:
        import numpy as np

        return self.constant(np.array(values, np.int64))

    def node(self, kind: str, *inputs: str, out: str = "", **settings: int | float | Sequence[int]) -> str:
        from onnx import helper

        name = out or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **settings))  # type: ignore[arg-type]
        return name

    def weight(self, name: str) -> str:
        return self.constant(self._read(name))

    def linear(self, x: str, name: str) -> str:
        product = self.node("MatMul", x, self.constant(self._read(f"{name}.weight").T))
        return self.node("Add", product, self.weight(f"{name}.bias"))

    def normalised(self, x: str, name: str) -> str:
        return self.node("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"),
                         axis=-1, epsilon=self._sizes.epsilon)

    def mean(self, x: str, mask: str) -> str:
        """Mean of the rows that a mask leaves."""
        weights, places = self.node("Unsqueeze", mask, self.numbers(2)), self.numbers(1)
        total = self.node("ReduceSum", self.node("Mul", x, weights), places, keepdims=0)
        return self.node("Div", total, self.node("ReduceSum", weights, places, keepdims=0))


def pair_graph(read: Read, sizes: Sizes, head: Head) -> onnx.ModelProto:
    """Logits of a pair `<s> a </s> b </s>`: inputs `words` (n × l × hidden), `kinds` and `mask` (n × l), output `logits`."""
    from onnx import TensorProto

    graph = _Graph(read, sizes)
    mask, x = _encode(graph, sizes)
    second = graph.node("Mul", mask, graph.node("Cast", "kinds", to=TensorProto.FLOAT))
    left, right = graph.mean(x, graph.node("Sub", mask, second)), graph.mean(x, second)
    first = graph.node("Slice", x, graph.numbers(0), graph.numbers(1), graph.numbers(1))
    pooled = graph.node("Concat", graph.node("Squeeze", first, graph.numbers(1)), graph.mean(x, mask),
                        graph.node("Abs", graph.node("Sub", left, right)), graph.node("Mul", left, right), axis=-1)
    product = graph.node("MatMul", pooled, graph.constant(head.weight.T))
    graph.node("Add", product, graph.constant(head.bias), out="logits")
    return _model(graph, sizes, "logits", len(head.bias))


def text_graph(read: Read, sizes: Sizes) -> onnx.ModelProto:
    """The mean of the last layer of each text: inputs as for pairs, output `vectors` (n × hidden), not yet of length one."""
    graph = _Graph(read, sizes)
    mask, x = _encode(graph, sizes)
    graph.node("Identity", graph.mean(x, mask), out="vectors")
    return _model(graph, sizes, "vectors", sizes.hidden)


def _model(graph: _Graph, sizes: Sizes, output: str, width: int) -> onnx.ModelProto:
    import onnx
    from onnx import TensorProto, helper

    inputs = [helper.make_tensor_value_info("words", TensorProto.FLOAT, ["n", "l", sizes.hidden])]
    inputs += [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "l"]) for name in ("kinds", "mask")]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", width])]
    made = helper.make_model(helper.make_graph(graph.nodes, "encoder", inputs, outputs, graph.constants),
                             opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
    onnx.checker.check_model(made)
    return made


def _encode(graph: _Graph, sizes: Sizes) -> tuple[str, str]:
    """The mask as numbers, and the last layer."""
    import numpy as np
    from onnx import TensorProto

    places = graph.node("Slice", graph.weight("embeddings.position_embeddings.weight"), graph.numbers(0),
                        graph.node("Shape", "kinds", start=1, end=2), graph.numbers(0))
    kinds = graph.node("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "kinds")
    x = graph.normalised(graph.node("Add", graph.node("Add", "words", kinds), places), "embeddings.LayerNorm")
    mask = graph.node("Cast", "mask", to=TensorProto.FLOAT)
    missing = graph.node("Sub", graph.constant(np.array([1], np.float32)), mask)
    away = graph.node("Mul", missing, graph.constant(np.array([UNSEEN], np.float32)))
    unseen = graph.node("Unsqueeze", away, graph.numbers(1, 2))
    for number in range(sizes.layers):
        name = f"encoder.layer.{number}."
        seen = graph.linear(_attended(graph, sizes, x, f"{name}attention.self.", unseen), f"{name}attention.output.dense")
        x = graph.normalised(graph.node("Add", seen, x), f"{name}attention.output.LayerNorm")
        wide = graph.node("Gelu", graph.linear(x, f"{name}intermediate.dense"))
        x = graph.normalised(graph.node("Add", graph.linear(wide, f"{name}output.dense"), x), f"{name}output.LayerNorm")
    return mask, x


def _attended(graph: _Graph, sizes: Sizes, x: str, name: str, unseen: str) -> str:
    import numpy as np

    width = sizes.hidden // sizes.heads
    split = graph.numbers(0, 0, sizes.heads, width)
    query, key, value = (graph.node("Reshape", graph.linear(x, name + part), split) for part in ATTENTION)
    query = graph.node("Mul", query, graph.constant(np.array([width**-0.5], np.float32)))
    scores = graph.node("MatMul", graph.node("Transpose", query, perm=[0, 2, 1, 3]),
                        graph.node("Transpose", key, perm=[0, 2, 3, 1]))
    shares = graph.node("Softmax", graph.node("Add", scores, unseen), axis=-1)
    mixed = graph.node("MatMul", shares, graph.node("Transpose", value, perm=[0, 2, 1, 3]))
    return graph.node("Reshape", graph.node("Transpose", mixed, perm=[0, 2, 1, 3]), graph.numbers(0, 0, sizes.hidden))
