"""Export profiles for other tools: TEI P5, CATMA, WebAnno TSV, Web Annotations, BookNLP, Parquet."""

from barthes.report.exports.booknlp import to_booknlp
from barthes.report.exports.catma import to_catma
from barthes.report.exports.parquet import to_parquet
from barthes.report.exports.tei import to_tei
from barthes.report.exports.web_annotation import to_web_annotations
from barthes.report.exports.webanno import to_webanno

__all__ = ["to_booknlp", "to_catma", "to_parquet", "to_tei", "to_web_annotations", "to_webanno"]
