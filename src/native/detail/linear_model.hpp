#pragma once

#include "koppla/native/detail/model.hpp"

namespace koppla::native::detail {

/// A model whose equations, written as they stand in the source, are linear in states and inputs, without constant
/// terms and without time.
class LinearModel : public Model {
 public:
  [[nodiscard]] bool isLinear() const final { return true; }
  /// The equations applied to unit vectors: exact, because every other term is a zero.
  [[nodiscard]] solver::LinearForm linear() const final;

 protected:
  using Model::Model;
};

/// A linear model with the states x = (w, v), w' = v.
class MechanicalModel : public LinearModel {
 public:
  [[nodiscard]] bool secondOrder() const override { return true; }

 protected:
  using LinearModel::LinearModel;
};

}  // namespace koppla::native::detail
