#include "koppla/native/catalogue.hpp"

#include <gtest/gtest.h>

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::inputError;

TEST(Catalogue, NamesItsModelsByTheirWords) {
  std::vector<std::string> words;
  for (const BuiltInModel& model : builtInModels()) {
    words.push_back(model.word);
    EXPECT_EQ(model.bringsSolver() ? makeBuiltInSolver(model.word)->describe().model
                                   : makeBuiltIn(model.word)->describe().model,
              model.word);
    EXPECT_FALSE(model.description.empty());
  }
  EXPECT_EQ(words, (std::vector<std::string>{"oscillator-body",
                                             "oscillator-with-link",
                                             "linked-body",
                                             "two-mass-oscillator",
                                             "rod",
                                             "foam-column",
                                             "tube-flow",
                                             "tube-wall",
                                             "wall-conduction",
                                             "radiating-face",
                                             "plate-flow",
                                             "hinged-plate",
                                             "heat-exchanger-flow",
                                             "heat-exchanger-walls",
                                             "exhaust-structure",
                                             "exhaust-rotors",
                                             "nonlinear-oscillator",
                                             "hardening-spring",
                                             "rotor",
                                             "journal-bearing"}));
}

TEST(Catalogue, ChoicesShapeTheModel) {
  EXPECT_FALSE(makeBuiltIn("oscillator-body")->describe().find("a"));
  EXPECT_TRUE(makeBuiltIn("oscillator-body", {{"acceleration", true}})->describe().find("a"));
  EXPECT_TRUE(makeBuiltIn("oscillator-with-link", {{"node_inertia", true}})->describe().find("node_mass"));
  EXPECT_EQ(makeBuiltIn("rod")->stateCount(), 2U);
  EXPECT_EQ(makeBuiltIn("rod", {{"elements", 7}})->stateCount(), 12U);
  EXPECT_EQ(makeBuiltIn("rod", {{"elements", 7}, {"boundary", std::string("penalty")}})->stateCount(), 14U);
  EXPECT_TRUE(makeBuiltIn("rod", {{"node_inertia", true}})->describe().find("a"));
  EXPECT_EQ(makeBuiltIn("foam-column", {{"elements", 7}})->stateCount(), 14U);
}

TEST(Catalogue, MistakesAreNamed) {
  EXPECT_EQ(inputError([] { makeBuiltIn("tube-flow"); }),
            "tube-flow brings its own solver. It has no equations to integrate.");
  EXPECT_EQ(inputError([] { makeBuiltInSolver("rod"); }), "rod brings no solver of its own. Integrate its equations.");
  EXPECT_EQ(inputError([] {
              makeBuiltInSolver("tube-flow", {{"nodes", 2}});
            }),
            "tube-flow: 2 nodes are asked for. A tube has 3 to 10000 nodes.");
  EXPECT_EQ(inputError([] {
              makeBuiltIn("journal-bearing", {{"elements_z", 7}});
            }),
            "journal-bearing: 7 elements across the width are asked for. Give an even number from 2 to 200.");
  EXPECT_EQ(inputError([] {
              makeBuiltIn("heat-exchanger-flow", {{"radial_cells", 1}});
            }),
            "heat-exchanger-flow: 1 radial cells are asked for. Give 2 to 1000.");
  EXPECT_EQ(inputError([] { makeBuiltIn("rods"); }), "There is no built-in model 'rods'. Did you mean 'rod'?");
  EXPECT_EQ(inputError([] {
              makeBuiltIn("rod", {{"element", 3}});
            }),
            "rod has no choice 'element'. Did you mean 'elements'?");
  EXPECT_EQ(inputError([] { makeBuiltIn("linked-body", {{"elements", 3}}); }), "linked-body has no choice 'elements'.");
  EXPECT_EQ(inputError([] {
              makeBuiltIn("rod", {{"elements", 3.5}});
            }),
            "rod: the choice 'elements' is 3.5. It is of type integer.");
  EXPECT_EQ(inputError([] {
              makeBuiltIn("rod", {{"node_inertia", 1}});
            }),
            "rod: the choice 'node_inertia' is 1. It is of type boolean.");
  EXPECT_EQ(inputError([] {
              makeBuiltIn("rod", {{"boundary", std::string("free")}});
            }),
            "rod: the choice 'boundary' is 'free'. Known here: prescribed, penalty.");
}

}  // namespace
}  // namespace koppla::native
